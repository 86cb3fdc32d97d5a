package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ooc/cmd/ooc/exit"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// bad is what a flag refuses: values, the exit code for them, and what the message says.
type bad struct {
	values string // separated by blanks; the empty value is refused everywhere
	code   int
	says   string
}

const (
	noNumber = "nan inf -inf NaN 0x10 1_000 3.5 1e9 10parsecs 12GiB 99999999999999999999999 rubbish "
	noWord   = "nan -1 0 1e9 rubbish AUTO "
	noPeriod = "nan inf -inf -1 0 0s -5m 0x10 1e9 60 1e9h 10parsecs 99999999999999999999999 rubbish "
	noSize   = "nan inf -inf -1 0 0MiB 0x10 1e9 10parsecs 99999999999999999999999 -4GiB rubbish "
	noReal   = "nan NaN 10parsecs rubbish 1,5x "
	noID     = "nan -1 0 51 1e9 rubbish "
	noFile   = "missing 1e9 -1 nan "
)

// rubbish is what each flag refuses, by its name, or by the command and its name where flags of several commands
// differ. A new flag has to be added.
var rubbish = map[string]bad{
	"algorithm":  {noWord, class.Usage, "want one of auto, blocked"},
	"for":        {noWord, class.Usage, "want one of solve, stats"},
	"base":       {noNumber + "-1 2147483648", class.Usage, "want a whole number from 0 to 2147483647"},
	"checkpoint": {noPeriod, class.Usage, "want a time of more than 0 with its unit"},
	"cluster":    {noWord + "MPI", class.Usage, "want one of mpi"},
	"grid":       {noNumber + "-1 0 4 0x4 4x0 2x2x2 x ax2", class.Usage, "want rows and columns"},
	"part-dir":   {"g.gr rubbish -1 nan", class.Usage, "is for --cluster mpi"},
	"columns":    {noWord + "from=1 from,from to,from,to", class.Usage, "columns"},
	"device": {"nan -1 0 1e9 rubbish CPU cpu:1 cuda: cuda:x cuda:-1 cpu:cpu", class.Usage,
		"want one of auto, cuda, opencl, cpu"},
	"device-memory": {noSize, class.Usage, "size"},
	"directed":      {"", class.Usage, "want true or false"},
	"dry-run":       {"", class.Usage, "want true or false"},
	"format":        {noWord, class.Usage, "want one of dimacs"},
	"help":          {"", class.Usage, "want true or false"},
	"host-memory":   {noSize, class.Usage, "size"},
	"jobs":          {noFile, class.Input, "no such file"},
	"json":          {"", class.Usage, "want true or false"},
	"keep":          {noWord, class.Usage, "want one of rows, factors"},
	"kind":          {noWord, class.Usage, "want one of i32, f32"},
	"layout":        {noWord, class.Usage, "want one of upper, square"},
	"max-hours": {"nan inf -inf -1 0 0x10 1e9 10parsecs 30m 99999999999999999999999 rubbish", class.Usage,
		"want a number of hours"},
	"method":          {noWord[:len(noWord)-len("AUTO ")], class.Usage, "want one of"},
	"no-arc":          {"nan rubbish 1e9 0", class.Usage, "--no-arc"},
	"no-descriptions": {"", class.Usage, "want true or false"},
	"overwrite":       {"", class.Usage, "want true or false"},
	"predecessors":    {"", class.Usage, "want true or false"},
	"progress":        {noWord, class.Usage, "want one of auto, always, never"},
	"restart":         {"", class.Usage, "want true or false"},
	"round":           {noNumber + "-64 0 1 100", class.Usage, "want a multiple of the tile edge"},
	"scale":           {noNumber + "-1 0", class.Usage, "want a whole number from 1"},
	"seed":            {noNumber + "-1", class.Usage, "want a whole number"},
	"sources":         {noID, class.Input, "has no vertex"},
	"stop-on-error":   {"", class.Usage, "want true or false"},
	"strict":          {"", class.Usage, "want true or false"},
	"streams":         {noNumber + "-1 0 65", class.Usage, "want a whole number from 1 to 64"},
	"tile":            {noNumber + "-64 0 100 65600", class.Usage, "want a multiple of 64 up to 65536"},
	"timeline":        {"g.gr g.ooc g.ooc/dist.npy", class.Usage, "write g."},
	"undirected":      {"", class.Usage, "want true or false"},
	"unweighted":      {"", class.Usage, "want true or false"},
	"version":         {"", class.Usage, "want true or false"},
	"k-nearest":       {noNumber + "-1 0", class.Usage, "want a whole number, 1 or more"},
	"pairs":           {noFile, class.Input, "no such file"},

	"out-dir":                  {"g.gr g.ooc/dist.npy/x g.ooc", class.Usage, "--out"},
	"ooc solve --out":          {"g.ooc/in g.ooc/core/in", class.Usage, "name another folder with --out"},
	"ooc query --row":          {noID, class.Input, "has no vertex"},
	"ooc query --col":          {noID, class.Input, "has no vertex"},
	"ooc query --rows":         {noID + "1..rubbish", class.Input, "has no vertex"},
	"ooc query --cols":         {noID + "1..rubbish", class.Input, "has no vertex"},
	"ooc query --count":        {"", class.Usage, "want true or false"},
	"ooc query --within":       {noReal, class.Usage, "want a distance"},
	"ooc export --rows":        {noID + "1..rubbish", class.Input, "has no vertex"},
	"ooc export --cols":        {noID + "1..rubbish", class.Input, "has no vertex"},
	"ooc export --format":      {noWord, class.Usage, "want one of npy, csv, mtx"},
	"ooc export --no-path":     {noNumber + "2147483648", class.Usage, "want a whole number from -2147483648"},
	"ooc export --ids":         {"g.gr nan x.txt new.npy g.ooc/dist.npy g.ooc/x.csv", class.Usage, ""},
	"ooc export --unreachable": {"10parsecs rubbish 1,5", class.Usage, "want a number, inf or nan"},
	"ooc verify --full":        {"", class.Usage, "want true or false"},
	"ooc verify --matrix":      {noFile, class.Input, "no such file"},
	"ooc verify --rows":        {noNumber + "-1", class.Usage, "want a whole number, 0 or more"},
	"ooc scrub --from":         {noNumber + "-1", class.Usage, "want a whole number, 0 or more"},
	"ooc stats --csv":          {"", class.Usage, "want true or false"},
	"ooc stats --bins": {"nan inf -1 0 1 1001 1e9 3,1 1,1 1,x rubbish 10parsecs 99999999999999999999999",
		class.Usage, "bins"},
	"ooc stats --within":      {noReal + "5,rubbish", class.Usage, "within"},
	"ooc stats --betweenness": {noWord, class.Usage, "want one of vertices, edges, both"},
	"ooc stats --endpoints":   {"", class.Usage, "want true or false"},
	"ooc stats --targets":     {noID, class.Input, "has no vertex"},
	"ooc stats --out":         {"g.gr g.ooc g.ooc/dist.npy", class.Usage, "write g."},
	"ooc stats --store":       {"g.gr g.ooc g.ooc/x", class.Usage, "g."},
	"ooc stats --plot":        {"nan x.jpg 1e9", class.Usage, "there are .png and .svg"},
	"ooc plan --vertices":     {noNumber + "-1 0 2147483648", class.Usage, "want a whole number from 1"},
	"nodes":                   {noNumber + "-1 0", class.Usage, "want a whole number from 1"},
	"gpus-per-node":           {noNumber + "-1 0", class.Usage, "want a whole number from 1"},
	"ooc stats --values":      {noFile, class.Input, "no such file"},
	"ooc stats --decay":       {noWord + "exp:0 exp:nan linear:-1 gaussian:inf", class.Usage, "want one of exp"},
	"node-link": {noSize + "50GB 50 -1GB/s 0GB/s GB/s nan/s", class.Usage,
		"want a rate such as 50GB/s"},
	"node-disk": {noSize + "50GB 50 -1GB/s 0GB/s GB/s nan/s", class.Usage,
		"want a rate such as 50GB/s"},
	"ooc near --within":  {noReal, class.Usage, "want a distance"},
	"ooc near --targets": {noID, class.Input, "has no vertex"},
	"ooc near --ids":     {"g.gr nan x.txt g.ooc/dist.npy g.ooc/x.csv new.npz", class.Usage, ""},
	"ooc sssp --group":   {noNumber + "-1 0 3 2048", class.Usage, "want a power of two up to 1024"},
	"ooc sssp --out":     {"g.gr g.ooc g.ooc/dist.npy", class.Usage, "write g."},
	"ooc sssp --source":  {noID, class.Input, "has no vertex"},
	"ooc gen --arcs":     {noNumber + "-1", class.Usage, "want a whole number from 0"},
	"ooc gen --vertices": {noNumber + "-1 0 2147483648", class.Usage,
		"want a whole number from 1 to 2147483647"},
	"ooc bench kernels --paths":   {"nan -1 rubbish avx512,rubbish", class.Usage, "want some of"},
	"ooc bench kernels --round":   {noNumber + "-1 0", class.Usage, "want a whole number from 1"},
	"ooc bench kernels --rounds":  {noNumber + "-1 0 1001", class.Usage, "want a whole number from 1 to 1000"},
	"ooc bench kernels --threads": {"nan inf -1 0 0x10 1e9 1,rubbish 99999999999999999999999", class.Usage, "want"},
	"ooc bench cuda --ordinal":    {noNumber + "-1", class.Usage, "want a whole number, 0 or more"},
	"ooc bench opencl --index":    {noNumber + "-1", class.Usage, "want a whole number, 0 or more"},
	"ooc bench cuda --rounds":     {noNumber + "-1 0 1001", class.Usage, "want a whole number from 1 to 1000"},
	"ooc bench tables --budget":   {noPeriod, class.Usage, "want a time of more than 0 with its unit"},
	"ooc bench tables --dir":      {noFile, class.Input, "no such file"},
	"ooc bench tables --quick":    {"", class.Usage, "want true or false"},
}

// linesFor are what commands, and flags of them, need on a command line beside a flag.
var linesFor = map[string]string{
	"ooc solve": "g.gr --out new.ooc", "ooc status": "g.ooc", "ooc watch": "g.ooc", "ooc query": "g.ooc",
	"ooc path": "g.ooc", "ooc export": "g.ooc new.npy",
	"ooc verify": "g.ooc", "ooc scrub": "g.ooc", "ooc stats": "g.ooc --csv", "ooc sssp": "g.gr --source 1",
	"ooc near": "g.gr new.npz --within 9", "ooc mst": "g.gr", "ooc merge": "m.ooc g.ooc", "ooc plan": "g.gr",
	"ooc gen":             "random new.gr",
	"ooc stats --sources": "g.gr --csv", "ooc stats --columns": "g.gr --csv", "ooc stats --no-arc": "g.gr --csv",
	"ooc stats --betweenness": "g.gr --csv", "ooc stats --endpoints": "g.gr --csv --betweenness vertices",
	"ooc stats --targets": "g.gr --csv --betweenness edges",
	"ooc stats --values":  "g.gr --within 9", "ooc stats --decay": "g.gr --values g.txt",
	"ooc stats --out": "g.gr --csv", "ooc stats --store": "g.gr --csv",
	"ooc sssp --source": "g.gr", "ooc solve --jobs": "", "ooc query --k-nearest": "g.ooc --row 1",
	"ooc query --within":  "g.ooc --row 1",
	"ooc query --columns": "g.gr 1 2", "ooc query --no-arc": "g.gr 1 2",
	"ooc path --columns": "g.gr 1 2", "ooc path --no-arc": "g.gr 1 2",
	"ooc verify --matrix": "g.gr --full", "ooc gen --arcs": "random new.gr -n 5", "ooc solve --out": "g.gr",
	"ooc solve --out-dir": "g.gr", "ooc bench tables": "--quick",
}

// TestRubbish gives every flag of every command what it cannot take, and demands the exit code, a message that names
// the flag and what it wants, and that nothing changes on disk.
func TestRubbish(t *testing.T) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "50", "-m", "200", "--undirected").want(t, 0)
	ooc(t, dir, "solve", "g.gr", "--device", "cpu").want(t, 0)
	t.Chdir(dir)
	before, used := tree(t, dir), map[string]bool{}
	eachFlag(newRoot(), func(cmd *cobra.Command, fl *pflag.Flag) {
		name := cmd.CommandPath() + " --" + fl.Name
		key := name
		if _, ok := rubbish[key]; !ok {
			key = fl.Name
		}
		b, ok := rubbish[key]
		if used[key] = true; !ok {
			t.Errorf("%s: give it rubbish, in the table", name)
			return
		}
		line, ok := linesFor[name]
		if !ok {
			line = linesFor[cmd.CommandPath()]
		}
		words := append(strings.Fields(cmd.CommandPath())[1:], strings.Fields(line)...)
		values := strings.Fields(b.values)
		if fl.Value.Type() == "bool" {
			values = append(values, "maybe", "2")
		}
		for _, value := range values {
			refuses(t, append(words, "--"+fl.Name+"="+value), b.code, b.says)
		}
		refuses(t, append(words, "--"+fl.Name+"="), class.Usage, "--"+fl.Name)
		if after := tree(t, dir); !maps.Equal(before, after) {
			t.Fatalf("%s changed files", name)
		}
	})
	for key := range rubbish {
		if !used[key] {
			t.Errorf("the table has %s, and no command", key)
		}
	}
}

// numbersIn says how a flag of a type, or with a name, takes a number.
var numbersIn = map[string]string{
	"int": "%s", "intSlice": "%s", "HOURS": "%s", "PxQ": "%sx1", "duration": "%sns", "SIZE": "%s", "RATE": "%s/s",
	"within": "%s", "bins": "%s", "no-arc": "%s", "unreachable": "%s", "sources": "random:%s",
	"targets": "random:%s",
}

// workFor are what commands, and flags of them, need on a command line to come to use a number; else what linesFor has.
var workFor = map[string]string{
	"ooc export --no-path": "g.ooc new.npy --predecessors", "ooc gen --seed": "random new.gr -n 5",
	"ooc mst":  "g.gr --undirected",
	"ooc near": "g.gr new.npz --within inf", "ooc near --within": "g.gr new.npz",
	"ooc near --k-nearest": "g.gr new.npz",
	"ooc plan --vertices":  "", "ooc plan --nodes": "--vertices 9999 --node-link 50GB/s",
	"ooc plan --node-link":     "--vertices 9999 --nodes 2",
	"ooc plan --node-disk":     "--vertices 9999 --nodes 2 --node-link 1GB/s",
	"ooc plan --gpus-per-node": "--vertices 9999 --device h100 --nodes 2 --node-link 50GB/s",
	"ooc plan --no-arc":        "m.npy", "ooc solve --no-arc": "m.npy --out new.ooc",
	"ooc sssp --no-arc":  "m.npy --source 1",
	"ooc query --no-arc": "m.npy 0 1", "ooc query --base": "g.gr 1 2", "ooc query --scale": "g.gr 1 2",
	"ooc path --no-arc": "m.npy 0 1", "ooc path --base": "g.gr 1 2", "ooc path --scale": "g.gr 1 2",
	"ooc mst --no-arc": "m.npy --undirected", "ooc verify --no-arc": "m.npy --matrix m.npy --full",
	"ooc verify --base": "g.gr --matrix m.npy --full", "ooc verify --scale": "g.gr --matrix m.npy --full",
}

// TestGreatestNumbers gives every flag that takes a number the least and the greatest that it takes, and the next
// ones that it does not. Commands end with the code of a meaning, in the memory and time of a small graph: no trace,
// and no failure that nobody foresaw.
func TestGreatestNumbers(t *testing.T) {
	crashtest.Slow(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "50", "-m", "200", "--undirected").want(t, 0)
	ooc(t, dir, "solve", "g.gr", "--device", "cpu").want(t, 0)
	ooc(t, dir, "export", "g.ooc", "m.npy").want(t, 0)
	t.Chdir(dir)
	eachFlag(newRoot(), func(cmd *cobra.Command, fl *pflag.Flag) {
		line, name := "", cmd.CommandPath()+" --"+fl.Name
		for _, lines := range []map[string]string{linesFor, workFor} {
			for _, key := range []string{cmd.CommandPath(), name} {
				if l, ok := lines[key]; ok {
					line = l
				}
			}
		}
		words := append(strings.Fields(cmd.CommandPath())[1:], strings.Fields(line)...)
		taken, refused := extremes(fl)
		for _, value := range refused {
			refuses(t, append(words, "--"+fl.Name+"="+value), class.Usage, "--"+fl.Name)
		}
		if strings.HasPrefix(name, "ooc bench ") {
			return // which measures for seconds
		}
		for _, value := range taken {
			run := command(t, dir, append(words, "--"+fl.Name+"="+value)...)
			const bounded = `ulimit -v 16000000 && ulimit -t 60 && ulimit -f 200000 && exec "$@"`
			run.Args = append([]string{"sh", "-c", bounded, "sh"}, run.Args...)
			run.Path = sh
			switch r := finish(t, run); r.code {
			case 0, class.Usage, class.Input, class.NoSpace, class.Interrupted:
			default:
				t.Errorf("ooc %v --%s=%s: exit code %d\n%s", words, fl.Name, value, r.code, r.stderr)
			}
			made, err := filepath.Glob("*new.*")
			for _, name := range made {
				err = errors.Join(err, os.RemoveAll(name))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// extremes are numbers for a flag: of those around what its type and its refusals speak of, the first and last few
// that it takes, and all that it refuses. There are none for a flag that takes no number.
func extremes(fl *pflag.Flag) (taken, refused []string) {
	format, ok := numbersIn[fl.Value.Type()]
	if !ok {
		format, ok = numbersIn[fl.Name]
	}
	if !ok {
		return nil, nil
	}
	says := ""
	if err := fl.Value.Set("rubbish"); err != nil {
		says = err.Error()
	}
	var middles []*big.Int
	for _, text := range regexp.MustCompile(`-?\d+`).FindAllString(says, -1) {
		n, _ := new(big.Int).SetString(text, 10)
		middles = append(middles, n)
	}
	for _, bits := range []uint{0, 31, 32, 63, 64} {
		n := new(big.Int).Lsh(big.NewInt(1), bits)
		// The next multiple of 64 after n-63 is n.
		middles = append(middles, n, new(big.Int).Neg(n), new(big.Int).Sub(n, big.NewInt(63)))
	}
	var all []*big.Int
	for _, n := range middles {
		for d := int64(-1); d <= 1; d++ {
			all = append(all, new(big.Int).Add(n, big.NewInt(d)))
		}
	}
	slices.SortFunc(all, (*big.Int).Cmp)
	var texts []string
	for _, n := range all {
		texts = append(texts, fmt.Sprintf(format, n))
	}
	for _, x := range []string{"5e-324", "-1.7976931348623157e308", "1.7976931348623157e308"} {
		texts = append(texts, fmt.Sprintf(format, x))
	}
	for _, text := range slices.Compact(texts) {
		if fl.Value.Set(text) == nil {
			taken = append(taken, text)
		} else {
			refused = append(refused, text)
		}
	}
	if few := 3; len(taken) > 2*few {
		taken = slices.Concat(taken[:few], taken[len(taken)-few:])
	}
	return taken, refused
}

// refuses demands that a command line fails, in plain words.
func refuses(t *testing.T, words []string, code int, says string) {
	t.Helper()
	err := fails(words)
	if exit.Code(err) != code {
		t.Errorf("ooc %v: exit code %d, want %d: %v", words, exit.Code(err), code, err)
		return
	}
	if !strings.Contains(err.Error(), says) {
		t.Errorf("ooc %v: %q lacks %q", words, err, says)
	}
	for _, inner := range []string{"strconv", "parsing", "bad option", "invalid argument"} {
		if strings.Contains(err.Error(), inner) {
			t.Errorf("ooc %v: %q: that is said to programmers", words, err)
		}
	}
}

// fails runs a command in this process, where it must not come to do anything.
func fails(words []string) error {
	_, err := execute(context.Background(), newRoot(), words)
	return err
}

// eachFlag calls do for every flag of every command.
func eachFlag(cmd *cobra.Command, do func(*cobra.Command, *pflag.Flag)) {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	cmd.Flags().VisitAll(func(fl *pflag.Flag) { do(cmd, fl) })
	for _, sub := range cmd.Commands() {
		eachFlag(sub, do)
	}
}

// TestUnknownCommands wants a suggestion where one is near, and exit code 2 everywhere.
func TestUnknownCommands(t *testing.T) {
	for line, says := range map[string]string{
		"slove":                             "did you mean ooc solve?",
		"slove g.gr":                        "did you mean ooc solve?",
		"help slove":                        "did you mean ooc solve?",
		"slove --help":                      "did you mean ooc solve?",
		"--help slove":                      "did you mean ooc solve?",
		"frobnicate -h":                     "ooc --help lists",
		"bench kernls --help":               "did you mean ooc bench kernels?",
		"frobnicate":                        "ooc --help lists",
		"help frobnicate":                   "ooc --help lists",
		"bench kernls":                      "did you mean ooc bench kernels?",
		"help bench kernls":                 "did you mean ooc bench kernels?",
		"bench rubbish":                     "ooc bench --help lists",
		"help solve rubbish":                "solve rubbish",
		"man slove":                         "did you mean ooc solve?",
		"completion fsh":                    "ooc completion fish",
		"devices rubbish":                   "accepts 0 arg",
		"query s.ooc -1 2":                  "give -- before names that begin with -",
		"plan g.gr --directed --undirected": "--directed and --undirected: give one of them",
		"plan g.gr --unweighted --scale 10": "--unweighted and --scale: give one of them",
	} {
		refuses(t, strings.Fields(line), class.Usage, says)
	}
}

// TestEmptyArguments refuses arguments that a script gives whose variable is not set, and jobs of such, before a
// queue is made.
func TestEmptyArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, ".", "x.jobs", "\"\"\n")
	for _, line := range [][]string{{"plan", ""}, {"solve", "x.jobs", ""}, {"status", ""}, {"query", "s.ooc", "a", ""},
		{"solve", "--jobs", "x.jobs"}} {
		refuses(t, line, class.Usage, "is empty")
	}
}

// TestSuggestedCommands solves a graph whose name begins with - and has blanks and quotes, and runs in a shell what
// the command says to run next.
func TestSuggestedCommands(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	name := "-a b'$c"
	writeFile(t, dir, name+".gr", "p sp 2 1\na 1 2 5\n")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(line string) result {
		cmd := exec.Command(sh, "-c", strings.Replace(line, "ooc ", "'"+self+"' ", 1))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "OOC_TEST_MAIN=1")
		return finish(t, cmd)
	}
	r := ooc(t, dir, "solve", "--device", "cpu", "--max-hours", "1e-12", "--", name+".gr").want(t, class.Interrupted,
		"continue with")
	_, line, _ := strings.Cut(r.stderr, "continue with:\n")
	run(strings.Replace(line, "1e-12", "9", 1)).want(t, 0, "solved")
	r = ooc(t, dir, "status", "--json", "--", name+".ooc").want(t, 0)
	var status struct{ Next string }
	if err := json.Unmarshal([]byte(r.stdout), &status); err != nil {
		t.Fatal(err)
	}
	run(strings.Replace(status.Next, " U V", " 1 2", 1)).want(t, 0, "1\t2\t5")
	r = ooc(t, dir, "solve", "--", name+".ooc").want(t, 0, "already solved")
	_, line, _ = strings.Cut(r.stdout, "ask it with: ")
	run(strings.Replace(line, " U V", " 1 2", 1)).want(t, 0, "1\t2\t5")
}
