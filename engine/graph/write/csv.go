package write

// csv has a header that names the columns.
var csv = Format{
	Name:       "edgelist",
	Extensions: []string{".csv"},
	sep:        ',',
	head:       func(Heading) string { return "from,to,weight\n" },
}
