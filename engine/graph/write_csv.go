package graph

// csvWriter has a header that names the columns.
var csvWriter = Writer{
	Name:       "edgelist",
	Extensions: []string{".csv"},
	sep:        ',',
	head:       func(heading) string { return "from,to,weight\n" },
}
