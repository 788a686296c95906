package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/app/config"
	"parley/app/keyfile"
	"parley/core/fault"
	"parley/core/seal"
)

func keyConfig(t *testing.T, secret string) *Config {
	return &Config{Serving: config.Serving{DataDir: t.TempDir()}, Models: config.Models{SecretKey: secret}}
}

func mustKeys(t *testing.T, config *Config, sqlite bool) []seal.ServerKey {
	t.Helper()
	keys, err := serverKeys(config, sqlite)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestServerKeys(t *testing.T) {
	one, two := seal.ServerKey{1}, seal.ServerKey{2}

	t.Run("on SQLite the first use creates a key that only this user can read", func(t *testing.T) {
		config := keyConfig(t, "")
		first := mustKeys(t, config, true)
		if again := mustKeys(t, config, true); len(first) != 1 || len(again) != 1 || again[0] != first[0] || first[0] == (seal.ServerKey{}) {
			t.Error("the key changed")
		}
		info, err := os.Stat(config.KeyPath())
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file is %v, %v", info.Mode(), err)
		}
		if left, _ := filepath.Glob(filepath.Join(config.DataDir, "secret-*")); len(left) > 0 {
			t.Errorf("%v were left behind", left)
		}
	})

	t.Run("concurrent first uses agree on one key", func(t *testing.T) {
		config := keyConfig(t, "")
		got := make([]seal.ServerKey, 16)
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() {
				if keys, err := serverKeys(config, true); err == nil && len(keys) == 1 {
					got[i] = keys[0]
				}
			})
		}
		all.Wait()
		for _, key := range got {
			if key == (seal.ServerKey{}) || key != got[0] {
				t.Fatal("they do not")
			}
		}
	})

	t.Run("SECRET_KEY encrypts, and what the file's key has encrypted still opens", func(t *testing.T) {
		config := keyConfig(t, "")
		kept := mustKeys(t, config, true)[0]
		config.SecretKey = one.Text() + "," + two.Text()
		if keys := mustKeys(t, config, true); len(keys) != 3 || keys[0] != one || keys[1] != two || keys[2] != kept {
			t.Errorf("there are %d", len(keys))
		}
		other := keyConfig(t, one.Text())
		mustKeys(t, other, true)
		if _, err := os.Stat(other.KeyPath()); !os.IsNotExist(err) {
			t.Errorf("an unnecessary file was created: %v", err)
		}
	})

	t.Run("on PostgreSQL only SECRET_KEY counts, and without it there is none", func(t *testing.T) {
		if keys := mustKeys(t, keyConfig(t, one.Text()), false); len(keys) != 1 || keys[0] != one {
			t.Errorf("there are %d", len(keys))
		}
		config := keyConfig(t, "")
		_, err := serverKeys(config, false)
		if f := fault.As(err); f.Kind != fault.Unavailable || f.Field != "key" || !strings.Contains(f.Message, "SECRET_KEY") {
			t.Errorf("the error is %v", err)
		}
		if entries, err := os.ReadDir(config.DataDir); err != nil || len(entries) > 0 {
			t.Errorf("a file was created: %v", err)
		}
	})

	for sentence, spoil := range map[string]func(path string) error{
		"without a key in it": func(path string) error { return os.WriteFile(path, []byte("canary"), 0o600) },
		"that is empty":       func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"that is a folder":    func(path string) error { return os.Mkdir(path, 0o700) },
		"with a key and more": func(path string) error { return os.WriteFile(path, []byte(one.Text()+",canary"), 0o600) },
		"that is very long":   func(path string) error { return os.WriteFile(path, make([]byte, 1<<20), 0o600) },
	} {
		t.Run("a file "+sentence+" is neither used nor replaced", func(t *testing.T) {
			config := keyConfig(t, "")
			if err := spoil(config.KeyPath()); err != nil {
				t.Fatal(err)
			}
			_, err := serverKeys(config, true)
			if f := fault.As(err); f.Kind != fault.Unavailable || strings.Contains(err.Error(), "canary") {
				t.Errorf("the error is %v", err)
			}
			if d := diagnoseKeys(config, true); d.OK || !strings.Contains(d.Remedy, "backup") {
				t.Errorf("the doctor says %+v", d)
			}
		})
	}

	t.Run("a file with two keys has both, the first one current", func(t *testing.T) {
		config := keyConfig(t, "")
		if err := keyfile.Write(config.KeyPath(), []seal.ServerKey{two, one}); err != nil {
			t.Fatal(err)
		}
		if keys := mustKeys(t, config, true); !slices.Equal(keys, []seal.ServerKey{two, one}) {
			t.Error("the keys are others")
		}
	})

	t.Run("a folder that is not writable yields no key", func(t *testing.T) {
		config := keyConfig(t, "")
		config.DataDir = filepath.Join(config.DataDir, "gone")
		if _, err := serverKeys(config, true); !fault.Is(err, fault.Unavailable) {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestKeysDiagnosed(t *testing.T) {
	sealed := keyConfig(t, "")
	mustKeys(t, sealed, true)
	for sentence, c := range map[string]struct {
		config *Config
		sqlite bool
		says   string
	}{
		"SECRET_KEY":                    {keyConfig(t, seal.ServerKey{1}.Text()), false, "encrypted with SECRET_KEY"},
		"PostgreSQL without SECRET_KEY": {keyConfig(t, ""), false, "SECRET_KEY is not set"},
		"a new SQLite":                  {keyConfig(t, ""), true, "none so far"},
		"SQLite with a key":             {sealed, true, "belongs to your backups"},
	} {
		t.Run("the doctor knows of "+sentence, func(t *testing.T) {
			if d := diagnoseKeys(c.config, c.sqlite); !d.OK || !strings.Contains(d.Detail, c.says) {
				t.Errorf("it says %+v", d)
			}
		})
	}
}
