package main

import (
	"strings"
	"testing"
)

func TestPath(t *testing.T) {
	dir := towns(t)
	writeFile(t, dir, "pairs", "paris nice\n# a comment\n\nnice\tisle\nisle isle\n")
	writeFile(t, dir, "bad", "paris nice\nparis rome\n")
	for _, c := range []struct{ args, stdin, out string }{
		{"paris nice", "", "paris\tnice\t7\t2\n\tparis\tlyon\t4\n\tlyon\tnice\t3\n"},
		{"paris isle", "", "paris\tisle\tunreachable\n"},
		{"lyon lyon", "", "lyon\tlyon\t0\t0\n"},
		{"--pairs pairs", "", "paris\tnice\t7\t2\n\tparis\tlyon\t4\n\tlyon\tnice\t3\nnice\tisle\tunreachable\nisle\tisle\t0\t0\n"},
		{"--pairs - --json", "paris nice\nnice isle\n",
			`{"type":"path","from":"paris","to":"nice","reachable":true,"length":7,"vertices":["paris","lyon","nice"],"weights":[4,3]}` + "\n" +
				`{"type":"path","from":"nice","to":"isle","reachable":false,"length":null,"vertices":[],"weights":[]}` +
				"\n"},
	} {
		cmd := command(t, dir, append([]string{"path", "towns.ooc"}, strings.Fields(c.args)...)...)
		cmd.Stdin = strings.NewReader(c.stdin)
		if r := finish(t, cmd).want(t, 0); r.stdout != c.out {
			t.Errorf("%s wrote\n%swant\n%s", c.args, r.stdout, c.out)
		}
	}
	for _, c := range []struct {
		code       int
		args, text string
	}{
		{3, "paris rome", `no vertex "rome"`},
		{3, "rome paris", `no vertex "rome"`},
		{3, "--pairs bad", `bad:2: towns.ooc has no vertex`},
		{3, "--pairs missing", "missing"},
		{2, "paris", "U V"},
		{2, "", "U V"},
		{2, "paris nice --pairs pairs", "U V"},
	} {
		ooc(t, dir, append([]string{"path", "towns.ooc"}, strings.Fields(c.args)...)...).want(t, c.code, c.text)
	}
}
