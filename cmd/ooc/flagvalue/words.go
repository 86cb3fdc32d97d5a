package flagvalue

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// IsFolder fails unless a path is a folder.
func IsFolder(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "stat", Path: path, Err: syscall.ENOTDIR}
	}
	return err
}

// Plainly is what a user has typed, quoted if it might be taken for something else.
func Plainly(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r == ' ' || !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
