package stats

// statistics is the table of them. Each stands in a file of its own; its place here is that of its columns, of its keys
// in JSON and of its lines in text. All have gathered before the first derives.
var statistics = []statistic{
	extremes,
	sums,
	means,
	centralities,
	within,
	histograms,
	nearest,
}

// statistic is how one is made and shown. A part that it does not have is nil.
type statistic struct {
	gather func(x *gathering) gatherer // what it needs of the pass; nil for options that do not ask for it
	derive func(x *gathering) error    // what follows from what was gathered, and from what those before it have derived

	columns func(r *Result) []Column       // of each vertex: in CSV and JSON
	summary func(r *Result) []summaryValue // of the whole graph: in JSON
	text    func(r *Result, t *textWriter) // for people
}

// perVertex is a statistic that makes a number of each vertex of what others have gathered. It is in Result.More.
func perVertex(name string, derive func(r *Result) []float64) statistic {
	return statistic{
		derive: func(x *gathering) error {
			if x.r.More == nil {
				x.r.More = map[string][]float64{}
			}
			x.r.More[name] = derive(x.r)
			return nil
		},
		columns: func(r *Result) []Column {
			list := r.More[name]
			return []Column{{Name: name, Number: func(v int) float64 { return list[v] }}}
		},
	}
}

// Columns are what there is of each vertex.
func (r *Result) Columns() []Column {
	var columns []Column
	for _, one := range statistics {
		if one.columns != nil {
			columns = append(columns, one.columns(r)...)
		}
	}
	return columns
}

// summary is what there is of the whole graph.
func (r *Result) summary() []summaryValue {
	values := []summaryValue{{"n", r.N}, {"kind", r.Kind}, {"directed", r.Directed}}
	for _, one := range statistics {
		if one.summary != nil {
			values = append(values, one.summary(r)...)
		}
	}
	return values
}

// ofFloats and ofCounts make columns of lists.
func ofFloats(name string, list []float64) Column {
	return Column{Name: name, Number: func(v int) float64 { return list[v] }}
}

func ofCounts(name string, list []int32) Column {
	return Column{Name: name, Number: func(v int) float64 { return float64(list[v]) }}
}

// stored says that a column's numbers are entries of the matrix.
func stored(c Column) Column {
	c.Stored = true
	return c
}
