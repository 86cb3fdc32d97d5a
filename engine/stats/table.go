package stats

// statistics is the table of all statistics. Each has a file of its own. The order of the table is that of columns,
// of keys in JSON and of lines in text. All of them gather before the first derives.
var statistics = []statistic{
	extremes,
	sums,
	means,
	centralities,
	betweenness,
	within,
	histograms,
	nearest,
}

// besideValues are those that Options.Values leaves.
var besideValues = []statistic{within, accessibility}

// tableOf returns the statistics of sums of values, or all.
func tableOf(values bool) []statistic {
	if values {
		return besideValues
	}
	return statistics
}

// statistic is how a statistic is computed and shown. Parts that it does not have are nil.
type statistic struct {
	gather func(x *gathering) (gatherer, error) // what it needs of the pass; nil for options that do not ask for it
	// derive: what follows from what was gathered, and from what those before it have derived.
	derive func(x *gathering) error

	columns func(r *Result) []column       // of each vertex: in CSV and JSON
	summary func(r *Result) []summaryValue // of the whole graph: in JSON
	text    func(r *Result, t *textWriter) // for people
}

// perVertex is a statistic that computes a number for each vertex from what others have gathered. The numbers are in
// Result.More.
func perVertex(name string, derive func(r *Result) []float64) statistic {
	return statistic{
		derive: func(x *gathering) error {
			if x.r.More == nil {
				x.r.More = map[string][]float64{}
			}
			x.r.More[name] = derive(x.r)
			return nil
		},
		columns: func(r *Result) []column {
			return []column{of(name, r.More[name])}
		},
	}
}

// Columns are the numbers of each vertex.
func (r *Result) Columns() []column {
	var columns []column
	for _, one := range tableOf(r.Sums != nil) {
		if one.columns != nil {
			columns = append(columns, one.columns(r)...)
		}
	}
	return columns
}

// summary is the numbers of the whole graph.
func (r *Result) summary() []summaryValue {
	values := []summaryValue{{"n", r.N}, {"rows", r.count()}, {"kind", r.Kind}, {"directed", r.Directed}}
	for _, one := range tableOf(r.Sums != nil) {
		if one.summary != nil {
			values = append(values, one.summary(r)...)
		}
	}
	return values
}

// of makes a column of a list.
func of[N float64 | int32](name string, list []N) column {
	return column{Name: name, Number: func(v int) float64 { return float64(list[v]) }}
}

// ofRows says that a column's numbers are of rows: vertices without one have none.
func ofRows(c column) column {
	c.Rows = true
	return c
}

// inUnits says that a column's numbers are entries of the matrix.
func inUnits(c column) column {
	c.Stored = true
	return c
}
