package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"parley/core/fault"
)

type configCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
	Docs bool `name:"docs" help:"Print docs/config.md."`
}

// Run prints the configuration in force.
func (cmd *configCmd) Run(config *Config, io streams) error {
	if cmd.Docs {
		_, err := fmt.Fprint(io.out, config.reference())
		return err
	}
	values := map[string]string{}
	var rows [][2]string
	for _, s := range config.settings() {
		values[s.Env] = s.Value
		rows = append(rows, [2]string{s.Env, s.Value})
	}
	return showRecord(io.out, cmd.JSON, values, rows)
}

type doctorCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

type diagnosis struct {
	Part   string `json:"part"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitzero"`
}

const doctorWithin = 10 * time.Second

// Run checks each part, and fails when one does not work.
func (cmd *doctorCmd) Run(ctx context.Context, config *Config, io streams) error {
	ctx, cancel := context.WithTimeout(ctx, doctorWithin)
	defer cancel()
	found := diagnose(ctx, config)
	err := showTable(io.out, cmd.JSON, found, []string{"part", "state", "detail"}, func(d diagnosis) []string {
		if d.OK {
			return []string{d.Part, "ok", d.Detail}
		}
		return []string{d.Part, "FAILED", d.Detail + " – " + d.Remedy}
	})
	if err != nil {
		return err
	}
	for _, d := range found {
		if !d.OK {
			return fault.New(fault.Unavailable, "Something needs your attention: see above.")
		}
	}
	return nil
}

func diagnose(ctx context.Context, config *Config) []diagnosis {
	p, err := openProgram(ctx, config, newLog(config))
	if err != nil {
		return []diagnosis{{"start", false, sentence(err), "Check DATA_DIR, DATABASE_URL and the LLM_ settings: parley config shows them."}}
	}
	defer p.close()
	remedies := map[string]string{
		"database": "Check that the database runs and that DATABASE_URL is right.",
		"index":    "Check the free space of the data folder, or that Weaviate runs and that the WEAVIATE_ settings are right; parley reindex makes the index again.",
		"model":    "Check LLM_BASE_URL, LLM_API_KEY, LLM_MODEL and LLM_PROVIDER, and that the model's server can be reached from here.",
	}
	details := map[string]string{
		"database": databaseName(p), "index": indexName(config), "model": p.chat.ModelName(),
	}
	var found []diagnosis
	for _, part := range p.parts() {
		found = append(found, diagnosed(part.Name, part.Check(ctx), details[part.Name], remedies[part.Name]))
	}
	found = append(found, diagnoseKeys(config, p.store.IsSQLite()), diagnoseProxies(config), diagnoseFiles(ctx, config))
	found = append(found, p.diagnoseStripe(ctx)...)
	if p.mails != nil {
		found = append(found, diagnosed("mail", p.mails.Check(ctx), "the mail server takes the user",
			"Check SMTP_URL: parley config shows it without the password."))
	}
	if config.linksLeadNowhere() {
		found = append(found, diagnosis{"links", false, linksLeadNowhereFault, linksLeadNowhereRemedy})
	}
	return found
}

func diagnosed(part string, err error, detail, remedy string) diagnosis {
	if err != nil {
		return diagnosis{part, false, sentence(err), remedy}
	}
	return diagnosis{Part: part, OK: true, Detail: detail}
}

// diagnoseFiles looks whether the process that reads a file can be confined.
func diagnoseFiles(ctx context.Context, config *Config) diagnosis {
	files, err := newReader(config)
	if err == nil {
		err = files.extractor.Check(ctx)
	}
	detail := "their readers are confined"
	if config.Unconfined && runtime.GOOS != "linux" {
		detail = "their readers are not confined, as EXTRACT_UNCONFINED says"
	}
	return diagnosed("files", err, detail,
		"Until then PDF, Office, EPUB and HTML files and web pages are not read. On Linux the kernel must have seccomp filters, and a container runtime must not forbid prctl, seccomp and setrlimit. On other systems set EXTRACT_UNCONFINED if what is uploaded can be trusted.")
}

func diagnoseProxies(config *Config) diagnosis {
	switch {
	case config.clientsAreOne():
		return diagnosis{"proxies", false, clientsAreOneFault, clientsAreOneRemedy}
	case len(config.Proxies) == 0:
		return diagnosis{Part: "proxies", OK: true, Detail: "clients connect directly"}
	}
	return diagnosis{Part: "proxies", OK: true, Detail: fmt.Sprintf("%s names the clients of %s", config.ProxyHeader, strings.Join(config.Proxies, ", "))}
}

func databaseName(p *program) string {
	if p.store.IsSQLite() {
		return "SQLite"
	}
	return "PostgreSQL"
}
