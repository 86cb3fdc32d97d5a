package read

import (
	"path/filepath"
	"strings"

	"ooc/engine/graph/packed"
)

// BaseName is a file's base name without extensions of formats and compression.
func BaseName(input string) string {
	name := packed.TrimExt(filepath.Base(input))
	if base := strings.TrimSuffix(name, filepath.Ext(name)); base != "" && KnownName(name) {
		return base
	}
	return name
}
