package text

import "fmt"

// ErrorOf returns an error that matches kind with errors.Is and does not print it. For programs the kind says what to
// do, and for people the text does.
func ErrorOf(kind error, format string, args ...any) error {
	return &errorOf{fmt.Errorf(format, args...), kind}
}

type errorOf struct{ says, kind error }

func (e *errorOf) Error() string { return e.says.Error() }

func (e *errorOf) Unwrap() []error { return []error{e.kind, e.says} }
