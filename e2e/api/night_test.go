package api

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// night is how a row of At night in docs/operations.md is held.
type night struct {
	// tests make the state, look at it as the row says, and do what the row says to do.
	tests []string
	// untested says why no test makes the state.
	untested string
}

// nights are the rows, by how they begin.
var nights = map[string]night{
	"`ParleyDown`, `ParleyNotReady`":                   {tests: []string{"TestAlerts", "TestDatabaseOutage"}},
	"`ParleyAnswersFail`":                              {tests: []string{"TestAlerts", "TestFiguresOfAnswers"}},
	"`ParleyBackupOld`":                                {tests: []string{"TestAlerts", "TestLastBackupIsMeasured"}},
	"`ParleyBillingAlarm`":                             {tests: []string{"TestAlerts", "TestEveryAlarmIsZeroAtFirst"}},
	"`/readyz` 503, `database`":                        {tests: []string{"TestDatabaseOutage", "TestADatabaseThatHangs"}},
	"`/readyz` 503, `storage`":                         {tests: []string{"TestFullDisk"}},
	"`/readyz` 503, `index`; questions":                {tests: []string{"TestIndexOutage", "TestWeaviateIsKilled"}},
	"`/readyz` 503, `index`: \"12,400 of":              {tests: []string{"TestAnEmptyIndex", "TestWeaviateLosesData"}},
	"`/readyz` 503, `settings`":                        {tests: []string{"TestAKeyThatIsBroken"}},
	"`/readyz` `degraded`, `model`":                    {tests: []string{"TestAModelThatIsOutOfQuota", "TestAnEmbeddingModelThatIsOutOfQuota"}},
	"`/readyz` `degraded`, `jobs`":                     {tests: []string{"TestAQueueThatIsDead", "TestRunBeginsAgain"}},
	"`/readyz` `degraded`, `readers`":                  {tests: []string{"TestReadersThatAreKilled"}},
	"`/readyz` `degraded`, `stripe`":                   {tests: []string{"TestAStripeThatDoesNotAnswer"}},
	"`/readyz` `degraded`, `mail`":                     {tests: []string{"TestAMailServerThatRefuses"}},
	"it does not start: \"another server is running\"": {tests: []string{"TestSecondServer"}},
	"it does not start: \"was not completed\"":         {tests: []string{"TestKilledRestore"}},
	"it does not start: \"newer than this program\"":   {tests: []string{"TestRefusedMigrations"}},
	"it hangs":                                     {untested: "SIGQUIT is Go's own"},
	"one workspace seems to show":                  {tests: []string{"TestDoctorIsolation"}},
	"somebody deleted a workspace":                 {tests: []string{"TestOperationsPage"}},
	"somebody deleted something else":              {tests: []string{"TestOperationsPage"}},
	"a token leaked":                               {tests: []string{"TestOperationsPage"}},
	"a password leaked, or somebody cannot get in": {tests: []string{"TestOperationsPage"}},
	"somebody lost their second factor":            {tests: []string{"TestChangesOfSecondFactors"}},
}

// atNight are the first cells of the rows of At night.
func atNight(t *testing.T) (rows []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## At night\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); strings.HasPrefix(line, "| ") && len(cells) == 5 {
			rows = append(rows, strings.TrimSpace(cells[1]))
		}
	}
	return rows[1:] // without the head
}

// testNames are the names of all tests of the project.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names, declared := map[string]bool{}, regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "node_modules", "bin", "lab", "bench", "clients"}, entry.Name()):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, match := range declared.FindAllSubmatch(text, -1) {
			names[string(match[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestEachRowOfTheNightIsTested(t *testing.T) {
	t.Parallel()
	rows, names, met := atNight(t), testNames(t), map[string]bool{}
	for _, row := range rows {
		found := ""
		for begins := range nights {
			if strings.HasPrefix(row, begins) {
				found = begins
			}
		}
		held := nights[found]
		if found == "" || met[found] || (len(held.tests) == 0) == (held.untested == "") {
			t.Errorf("no test makes the state of the row %s", row)
		}
		met[found] = true
		for _, name := range held.tests {
			if !names[name] {
				t.Errorf("the row %s names the test %s, which is not there", row, name)
			}
		}
	}
	for begins := range nights {
		if !met[begins] {
			t.Errorf("the page has no row %s", begins)
		}
	}
}
