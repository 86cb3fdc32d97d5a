package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"ooc/engine"
	"ooc/engine/text"
)

// readLines calls do with every line of a file, or of standard input for "-", that is not blank, trimmed and
// without a byte-order mark. Errors name the file and the line.
func readLines(file string, do func(line string) error) error {
	in := os.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	err := text.EachLine(in, file, func(line string) error {
		if line = strings.TrimSpace(line); line == "" {
			return nil
		}
		return do(line)
	})
	if errors.Is(err, text.ErrLongLine) {
		return badInput{err}
	}
	return err
}

// readPairs calls do with the rows and columns of the vertices that each line "U V" of a file names. Lines that
// start with # are skipped.
func readPairs(p *engine.Problem, file string, do func(u, v int) error) error {
	return readLines(file, func(line string) error {
		words := strings.Fields(line)
		if strings.HasPrefix(words[0], "#") {
			return nil
		}
		if len(words) != 2 {
			return badInput{fmt.Errorf("want two vertices, found %d words", len(words))}
		}
		pair, err := lookupPair(p, words[0], words[1])
		if err != nil {
			return err
		}
		return do(pair[0], pair[1])
	})
}
