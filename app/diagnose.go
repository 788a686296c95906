package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"parley/app/backups"
	"parley/app/keyfile"
	"parley/app/status"
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
	// Unchecked says that the detail tells what could not be checked.
	Unchecked bool `json:"unchecked,omitzero"`
}

// remedies say what to do about a part that does not work.
var remedies = map[string]string{
	"database": "Check that the database runs and that DATABASE_URL is right.",
	"storage":  "Free space, or enlarge the volume: until then Parley can only be read from. It recovers by itself.",
	"index":    "Check the free space of the data folder, or that Weaviate runs and that the WEAVIATE_ settings are right; parley reindex makes the index again.",
	"settings": "Set SECRET_KEY as the other servers have it, or bring secret.key back from a backup.",
	"model":    "Check LLM_BASE_URL, LLM_API_KEY, LLM_MODEL and LLM_PROVIDER (or EMBED_…), the account at the provider, and that the model's server can be reached from here.",
	"jobs":     "The log says why. It begins again by itself; if the cause is gone and it does not, restart the server.",
	"readers":  filesRemedy,
	"mail":     "Check SMTP_URL: parley config shows it without the password. Mails wait, and are tried again.",
	"stripe":   "Wait if Stripe has an outage, else check STRIPE_SECRET_KEY. What was missed is read each night, or by parley billing reconcile.",
	"server":   "It stops: start it again.",
}

// Diagnose checks each part of the installation, from here and by asking the server that runs on
// the data folder. It makes no data folder: where there is none, there is nothing to check.
func Diagnose(ctx context.Context, config *Config) []Diagnosis {
	for _, dir := range config.DataDirs() {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return []Diagnosis{{Part: "data folder", Detail: "there is no folder " + dir, Remedy: "If this server is new, run parley serve, which makes the folder. Otherwise set DATA_DIR, or the path in DATABASE_URL, to the folder that the server has."}}
		}
	}
	running, err := status.Ask(ctx, config.DataDir)
	found := diagnoseHere(ctx, config, err == nil)
	switch {
	case errors.Is(err, status.ErrNone):
		return append(found, Diagnosis{Part: "server", OK: true, Unchecked: true, Detail: "no server runs on the data folder " + config.DataDir +
			", so that nobody could be asked whether it takes jobs, whether its readers of files work, and whether calls to the model, the mail server or Stripe failed lately"})
	case err != nil:
		return append(found, Diagnosis{Part: "server", Detail: Sentence(err), Remedy: "Until then what only the running server knows is not checked."})
	}
	return withServer(found, running)
}

// withServer adds what the running server sees of itself: a part works if it does there and here.
func withServer(found []Diagnosis, running status.Status) []Diagnosis {
	detail := fmt.Sprintf("process %d, version %s, runs for %s: %s", running.PID, cmp.Or(running.Version, "unknown"), age(time.Since(running.Began)), running.Status)
	server := Diagnosis{Part: "server", OK: true, Detail: detail}
	for _, part := range running.Parts {
		at := slices.IndexFunc(found, func(d Diagnosis) bool { return d.Part == part.Name })
		switch {
		case part.Ready && (at >= 0 || slices.Contains([]string{"server", "mail", "stripe"}, part.Name)):
		case part.Ready:
			found = append(found, Diagnosis{Part: part.Name, OK: true, Detail: "the running server finds no fault"})
		case part.Pending && !part.Vital:
			found = append(found, Diagnosis{Part: part.Name, OK: true, Unchecked: true, Detail: part.Reason})
		default:
			seen := Diagnosis{part.Name, false, "the running server says, since " + part.Since.UTC().Format(time.RFC3339) + ": " + strings.TrimSuffix(part.Reason, "."), remedies[part.Name], false}
			if part.Cause != "" {
				seen.Detail += ": " + part.Cause
			}
			switch {
			case part.Name == "server":
				server = seen
			case at >= 0 && found[at].OK:
				found[at] = seen
			case at < 0:
				found = append(found, seen)
			}
		}
	}
	return append(found, server)
}

// diagnoseHere checks what can be checked without the server. Running says that there is one.
func diagnoseHere(ctx context.Context, config *Config, running bool) []Diagnosis {
	storage := diagnosed("storage", diskspace.In(append(config.DataDirs(), os.TempDir())...).Check(), "the data folder and the temporary folder take files",
		remedies["storage"])
	p, err := Open(ctx, config, NewLog(config))
	if err != nil && !storage.OK {
		return []Diagnosis{storage, {Part: "start", Detail: Sentence(err), Remedy: "Free space first. A server that was started on a full disk lets no other process open the database until it is restarted."}}
	}
	if err != nil {
		return []Diagnosis{{Part: "start", Detail: Sentence(err), Remedy: "Check DATA_DIR, DATABASE_URL and the LLM_ settings: parley config shows them."}}
	}
	defer p.Close()
	found := []Diagnosis{
		storage,
		diagnosed("database", p.Store.Check(ctx), p.databaseName(), remedies["database"]),
		diagnosed("index", p.Searcher.Check(ctx), indexName(config), remedies["index"]),
		diagnosed("model", p.Answers.CheckModel(ctx), p.Answers.ModelName(), remedies["model"]),
	}
	if !p.Store.IsSQLite() {
		found = append(found, p.diagnoseIndexes(ctx), p.diagnoseWall(ctx))
	}
	found = append(found, diagnoseEmbeddings(ctx, config), p.diagnoseEncoding(ctx))
	found = append(found, diagnoseKeys(config, p.Store.IsSQLite()), diagnoseProxies(config), diagnoseFiles(ctx, config, running), p.diagnoseBackups(ctx))
	found = append(found, p.diagnoseStripe(ctx)...)
	if p.Mails != nil {
		found = append(found, diagnosed("mail", p.Mails.Check(ctx), "the mail server takes the user", remedies["mail"]))
	}
	if config.LinksLeadNowhere() {
		found = append(found, Diagnosis{Part: "links", Detail: linksLeadNowhereFault, Remedy: linksLeadNowhereRemedy})
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
		return Diagnosis{Part: part, Detail: Sentence(err), Remedy: remedy}
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

const filesRemedy = "Until then PDF, Office, EPUB and HTML files and web pages are not read. On Linux the kernel must have seccomp filters, and a container runtime must not forbid prctl, seccomp and setrlimit; nor may it, or the unit, kill what makes other calls, or leave too little memory. On other systems set EXTRACT_UNCONFINED if what is uploaded can be trusted."

// diagnoseFiles checks whether the processes that read files can be confined, and read a PDF then.
// A server that runs has done so by itself.
func diagnoseFiles(ctx context.Context, config *Config, running bool) Diagnosis {
	files, err := openExtractor(config, "")
	if err == nil {
		err = files.Check(ctx)
	}
	detail := "their readers are confined"
	if err == nil && !running {
		if err = files.CheckReading(ctx); ctx.Err() != nil { // to compile the reader takes a while
			err, detail = nil, detail+"; there was no time to read a PDF"
		}
	}
	if config.Unconfined && runtime.GOOS != "linux" {
		detail = "their readers are not confined, because EXTRACT_UNCONFINED is set"
	}
	return diagnosed("files", err, detail, filesRemedy)
}

func diagnoseProxies(config *Config) Diagnosis {
	switch {
	case config.ClientsAreOne():
		return Diagnosis{Part: "proxies", Detail: clientsAreOneFault, Remedy: clientsAreOneRemedy}
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
