package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"ooc/engine"
)

// longestLine bounds the memory that a file of ids takes.
const longestLine = 1 << 20

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
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	n := 1
	for ; lines.Scan(); n++ {
		line := lines.Text()
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := do(line); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return badInput{fmt.Errorf("%s:%d: a line of over %d bytes", file, n, longestLine)}
	} else if err != nil {
		return fmt.Errorf("%s:%d: %w", file, n, err)
	}
	return nil
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
