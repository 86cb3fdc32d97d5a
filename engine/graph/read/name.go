package read

import (
	"path/filepath"
	"strings"

	"ooc/engine/graph/packed"
)

// BaseName is a file's base name without extensions of formats and compression.
func BaseName(input string) string {
	name := packed.TrimExt(filepath.Base(input))
	for _, f := range Formats {
		for _, ext := range f.Extensions {
			if len(name) > len(ext) && strings.EqualFold(name[len(name)-len(ext):], ext) {
				return name[:len(name)-len(ext)]
			}
		}
	}
	return name
}
