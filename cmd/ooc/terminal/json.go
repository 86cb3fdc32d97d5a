package terminal

import (
	"encoding/json"
	"fmt"
)

// Known is a field of an object that is null where the value stands for none.
func Known[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// PrintJSON prints one object on one line, with a type beside the fields of v.
func PrintJSON(kind string, v any) {
	body, err := json.Marshal(v)
	if err != nil { // only a NaN or an infinity in a status could do that
		body = fmt.Appendf(nil, `{"message":%q}`, err)
	}
	head := fmt.Appendf(nil, `{"type":%q`, kind)
	if len(body) > 2 {
		head = append(head, ',')
	}
	Out.Write(append(append(head, body[1:]...), '\n'))
}
