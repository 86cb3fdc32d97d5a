package feed

import (
	"fmt"
	"strings"

	"ooc/tiles/class"
)

// ErrMethod is wrapped by the error of an unknown method, or of a device that cannot run it.
var ErrMethod = class.New(class.Usage, "wrong method")

// Method is one of several that find the same; Run has the type F.
type Method[F any] struct {
	Name  string
	Title string
	Run   F
}

// Methods lists them; the first is what "" means.
type Methods[F any] []Method[F]

// Names lists their names.
func (all Methods[F]) Names() (names []string) {
	for _, m := range all {
		names = append(names, m.Name)
	}
	return names
}

// Named returns the method of a name. It fails with ErrMethod if there is none.
func (all Methods[F]) Named(name string) (*Method[F], error) {
	for i := range all {
		if m := &all[i]; m.Name == name || name == "" && i == 0 {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%w %q: there are %s", ErrMethod, name, strings.Join(all.Names(), ", "))
}
