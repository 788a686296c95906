package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"parley/app/backups"
	"parley/app/keyfile"
	"parley/core/fault"
	"parley/internal/diskspace"
	"parley/store"
	"parley/store/servers"
)

// Diagnosis is the state of one part of the installation, with a remedy.
type Diagnosis struct {
	Part   string `json:"part"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitzero"`
}

// Diagnose checks each part of the installation. It makes no data folder: where
// there is none, there is nothing to check.
func Diagnose(ctx context.Context, config *Config) []Diagnosis {
	for _, dir := range config.DataDirs() {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return []Diagnosis{{"data folder", false, "there is no folder " + dir, "If this server is new, run parley serve, which makes the folder. Otherwise set DATA_DIR, or the path in DATABASE_URL, to the folder that the server has."}}
		}
	}
	storage := diagnosed("storage", diskspace.In(append(config.DataDirs(), os.TempDir())...).Check(), "the data folder and the temporary folder take files",
		"Free space, or enlarge the volume: until then Parley can only be read from. It recovers by itself.")
	p, err := Open(ctx, config, NewLog(config))
	if err != nil && !storage.OK {
		return []Diagnosis{storage, {"start", false, Sentence(err), "Free space first. A server that was started on a full disk lets no other process open the database until it is restarted."}}
	}
	if err != nil {
		return []Diagnosis{{"start", false, Sentence(err), "Check DATA_DIR, DATABASE_URL and the LLM_ settings: parley config shows them."}}
	}
	defer p.Close()
	remedies := map[string]string{
		"database": "Check that the database runs and that DATABASE_URL is right.",
		"index":    "Check the free space of the data folder, or that Weaviate runs and that the WEAVIATE_ settings are right; parley reindex makes the index again.",
		"model":    "Check LLM_BASE_URL, LLM_API_KEY, LLM_MODEL and LLM_PROVIDER, and that the model's server can be reached from here.",
	}
	details := map[string]string{
		"database": p.databaseName(), "index": indexName(config), "model": p.Answers.ModelName(),
	}
	found := []Diagnosis{storage}
	for _, part := range p.parts() {
		if part.Name == storage.Part {
			continue
		}
		found = append(found, diagnosed(part.Name, part.Check(ctx), details[part.Name], remedies[part.Name]))
	}
	if !p.Store.IsSQLite() {
		found = append(found, p.diagnoseIndexes(ctx), p.diagnoseWall(ctx))
	}
	found = append(found, diagnoseEmbeddings(ctx, config), p.diagnoseEncoding(ctx))
	found = append(found, diagnoseKeys(config, p.Store.IsSQLite()), diagnoseProxies(config), diagnoseFiles(ctx, config), p.diagnoseBackups(ctx))
	found = append(found, p.diagnoseStripe(ctx)...)
	if p.Mails != nil {
		found = append(found, diagnosed("mail", p.Mails.Check(ctx), "the mail server takes the user",
			"Check SMTP_URL: parley config shows it without the password."))
	}
	if config.LinksLeadNowhere() {
		found = append(found, Diagnosis{"links", false, linksLeadNowhereFault, linksLeadNowhereRemedy})
	}
	return found
}

// diagnoseWall checks that PostgreSQL keeps workspaces apart.
func (p *Program) diagnoseWall(ctx context.Context) Diagnosis {
	wall := store.NewWall(p.Store)
	err := wall.CheckWall(ctx)
	if err != nil && wall.IsLacking() {
		return Diagnosis{Part: "isolation", OK: true, Detail: "only the queries keep workspaces apart, as ROW_LEVEL_SECURITY=optional allows: " + Sentence(err)}
	}
	return diagnosed("isolation", err, "row-level security keeps workspaces apart",
		"Restart a server, which makes what is missing. If it cannot, docs/deploying.md has the statements for a superuser.")
}

func diagnosed(part string, err error, detail, remedy string) Diagnosis {
	if err != nil {
		return Diagnosis{part, false, Sentence(err), remedy}
	}
	return Diagnosis{Part: part, OK: true, Detail: detail}
}

// diagnoseEmbeddings has the embedding model make a vector.
func diagnoseEmbeddings(ctx context.Context, config *Config) Diagnosis {
	const remedy = "Check EMBED_MODEL, EMBED_DIMENSIONS, EMBED_BASE_URL and EMBED_API_KEY, and that the model's server can be reached from here."
	if config.EmbedModel == "" {
		return Diagnosis{Part: "embeddings", OK: true, Detail: "built in"}
	}
	embedder, err := OpenEmbedder(config)
	if err == nil {
		_, err = embedder.Questions(ctx, []string{"How can I reach you?"})
	}
	return diagnosed("embeddings", err, config.EmbedModel, remedy)
}

// diagnoseFiles checks whether the processes that read files can be confined.
func diagnoseFiles(ctx context.Context, config *Config) Diagnosis {
	files, err := openExtractor(config, "")
	if err == nil {
		err = files.Check(ctx)
	}
	detail := "their readers are confined"
	if config.Unconfined && runtime.GOOS != "linux" {
		detail = "their readers are not confined, because EXTRACT_UNCONFINED is set"
	}
	return diagnosed("files", err, detail,
		"Until then PDF, Office, EPUB and HTML files and web pages are not read. On Linux the kernel must have seccomp filters, and a container runtime must not forbid prctl, seccomp and setrlimit. On other systems set EXTRACT_UNCONFINED if what is uploaded can be trusted.")
}

func diagnoseProxies(config *Config) Diagnosis {
	switch {
	case config.ClientsAreOne():
		return Diagnosis{"proxies", false, clientsAreOneFault, clientsAreOneRemedy}
	case len(config.Proxies) == 0:
		return Diagnosis{Part: "proxies", OK: true, Detail: "clients connect directly"}
	}
	return Diagnosis{Part: "proxies", OK: true, Detail: fmt.Sprintf("%s names the clients of %s", config.ProxyHeader, strings.Join(config.Proxies, ", "))}
}

func (p *Program) databaseName() string {
	if p.Store.IsSQLite() {
		return "SQLite"
	}
	return "PostgreSQL"
}

// diagnoseKeys checks whether the keys of workspaces' providers can be encrypted,
// and says where the server's own key is.
func diagnoseKeys(config *Config, sqlite bool) Diagnosis {
	const remedy = "Set SECRET_KEY to what openssl rand -base64 32 prints, the same for all servers, and keep it with your backups."
	switch {
	case config.SecretKey != "":
		_, err := serverKeys(config, sqlite)
		return diagnosed("provider keys", err, "encrypted with SECRET_KEY", remedy)
	case !sqlite:
		return diagnosed("provider keys", nil, "none can be saved: SECRET_KEY is not set", "")
	}
	if _, err := os.Stat(config.KeyPath()); errors.Is(err, fs.ErrNotExist) {
		return diagnosed("provider keys", nil, "none so far; the first one makes "+config.KeyPath(), "")
	}
	_, err := keyfile.Read(config.KeyPath())
	return diagnosed("provider keys", err, "encrypted with "+config.KeyPath()+", which belongs to your backups", "Bring "+config.KeyPath()+" back from a backup.")
}

// Sentence returns the message of an error for the operator, including the cause.
func Sentence(err error) string {
	f := fault.As(err)
	if f.Kind == fault.Internal && f.Cause != nil {
		return f.Cause.Error()
	}
	if f.Cause != nil {
		return strings.TrimSuffix(f.Message, ".") + ": " + f.Cause.Error()
	}
	return f.Message
}

// The warning that all clients seem to have one address, and its remedy.
const (
	clientsAreOneFault  = "BASE_URL is https, but TRUSTED_PROXIES is empty: all clients count as one, so the wrong passwords of one client block everybody's sign-in"
	clientsAreOneRemedy = "Set TRUSTED_PROXIES to the address or network of the proxy that speaks TLS, and CLIENT_ADDRESS_HEADER if it doesn't use X-Forwarded-For; docs/deploying.md has examples."
)

const (
	linksLeadNowhereFault  = "BASE_URL is empty, so links in mails lead people to their own machine"
	linksLeadNowhereRemedy = "Set BASE_URL to the address under which people reach this server, such as https://parley.example.com."
)

// WarnOfSettings logs a warning about each setting that is probably a mistake.
func (p *Program) WarnOfSettings() {
	if store.NewWall(p.Store).IsLacking() {
		p.Log.Warn("row-level security is missing, and ROW_LEVEL_SECURITY=optional allows that: only the queries keep workspaces apart", "remedy", "Create the roles that docs/deploying.md names, and set ROW_LEVEL_SECURITY=required.")
	}
	if p.Config.ClientsAreOne() {
		p.Log.Warn(clientsAreOneFault, "remedy", clientsAreOneRemedy)
	}
	if p.Config.LinksLeadNowhere() {
		p.Log.Warn(linksLeadNowhereFault, "remedy", linksLeadNowhereRemedy)
	}
}

// diagnoseBackups says when the last backup was made. Other means than parley backup leave
// no mark, so that there is none is no fault.
func (p *Program) diagnoseBackups(ctx context.Context) Diagnosis {
	at, err := servers.NewChores(p.Store).Begun(ctx, backups.Mark)
	detail := "parley backup has not made any; docs/backups.md has other ways, too"
	if !at.IsZero() {
		detail = "parley backup made the last one at " + at.Format(time.RFC3339) + ", " + age(p.now().Sub(at)) + " ago"
	}
	return diagnosed("backups", err, detail, "Check that the database runs and that DATABASE_URL is right.")
}

// age is a duration for people.
func age(d time.Duration) string {
	if days := int(d.Hours()) / 24; days > 1 {
		return fmt.Sprintf("%d days", days)
	}
	return cmp.Or(strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s"), "less than a minute")
}
