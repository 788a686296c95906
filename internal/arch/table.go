package arch

// domain lists the domain packages in order: each may import those before it. The
// package that makes identifiers is among them.
var domain = []string{"core/fault", "core/system", "internal/id", "core/audit", "core/plan", "core/outbox", "core/account", "core/tenant", "core/subscription", "core/chatbot", "core/retrieval", "core/knowledge"}

// Modules that several rows name.
const (
	atlas          = "ariga.io/atlas"
	barcode        = "github.com/boombuler/barcode"
	bluemonday     = "github.com/microcosm-cc/bluemonday"
	brotli         = "github.com/andybalholm/brotli"
	chromedp       = "github.com/chromedp"
	failsafe       = "github.com/failsafe-go/failsafe-go"
	excelize       = "github.com/xuri/excelize/v2"
	grpc           = "google.golang.org/grpc"
	htmlToMarkdown = "github.com/JohannesKaufmann/html-to-markdown/v2"
	lru            = "github.com/hashicorp/golang-lru/v2"
	kinOpenAPI     = "github.com/getkin/kin-openapi"
	kong           = "github.com/alecthomas/kong"
	compress       = "github.com/klauspost/compress"
	mcpSDK         = "github.com/modelcontextprotocol/go-sdk"
	otp            = "github.com/pquerna/otp"
	clientModel    = "github.com/prometheus/client_model"
	otel           = "go.opentelemetry.io"
	openapi        = "github.com/go-openapi"
	pdfium         = "github.com/klippa-app/go-pdfium"
	protobuf       = "google.golang.org/protobuf"
	readability    = "codeberg.org/readeck/go-readability/v2"
	river          = "github.com/riverqueue/river"
	seccomp        = "github.com/elastic/go-seccomp-bpf"
	ssrf           = "code.dny.dev/ssrf"
	uuid           = "github.com/google/uuid"
	wazero         = "github.com/tetratelabs/wazero"
	webauthn       = "github.com/go-webauthn/webauthn"
	weaviate       = "github.com/weaviate/weaviate"
	weaviateClient = "github.com/weaviate/weaviate-go-client/v4"
	xnet           = "golang.org/x/net"
	xsync          = "golang.org/x/sync"
	xsys           = "golang.org/x/sys"
	xtext          = "golang.org/x/text"
	crypto         = "golang.org/x/crypto"
	xterm          = "golang.org/x/term"
	entgo          = "entgo.io/ent"
	fasthttp       = "github.com/valyala/fasthttp"
	fiber          = "github.com/gofiber/fiber/v2"
	emersion       = "github.com/emersion"
	goleak         = "go.uber.org/goleak"
	gomail         = "github.com/wneessen/go-mail"
	prometheus     = "github.com/prometheus/client_golang"
	gjson          = "github.com/tidwall/gjson"
	goOIDC         = "github.com/coreos/go-oidc/v3"
	oauth2         = "golang.org/x/oauth2"
	goldmark       = "github.com/yuin/goldmark"
	snowball       = "github.com/blevesearch/snowballstem"
	stdWebhooks    = "github.com/standard-webhooks/standard-webhooks/libraries/go"
	jsonschema     = "github.com/santhosh-tekuri/jsonschema/v6"
	jsonv2         = "github.com/go-json-experiment/json"
	pgx            = "github.com/jackc/pgx/v5"
	sqlite         = "modernc.org/sqlite"
	libc           = "modernc.org/libc"
	stripe         = "github.com/stripe/stripe-go/v76"
	templ          = "github.com/a-h/templ"
	tokenizer      = "github.com/tiktoken-go/tokenizer"
	yaml           = "go.yaml.in/yaml/v3"
)

// stores have the queries of a subject each, on top of package store.
var stores = []string{"store/audit", "store/billing", "store/bots", "store/chat", "store/citation", "store/insight", "store/isolation", "store/knowledge", "store/outbound", "store/people", "store/privacy", "store/servers"}

// doubles stand for the network in tests: Stripe, a mail server, models, and
// servers of PostgreSQL and Weaviate. index/indextest wraps an index.
var doubles = []string{"billing/stripetest", "mail/mailtest", "oidc/oidctest", "index/indextest", "llm/llmtest", "internal/pgtest", "internal/telemetrytest", "internal/weaviatetest", "store/storetest", "store/tenancytest"}

// prefixed adds the name of this module to the paths of packages.
func prefixed(packages []string) []string {
	paths := make([]string, len(packages))
	for i, path := range packages {
		paths[i] = root + "/" + path
	}
	return paths
}

// table covers every package of this module. It does not restrict standard library
// packages; see bans.
var table = []Row{
	{
		Packages: []string{"."},
		Because:  "it embeds files and does nothing else",
	},
	{
		Packages: []string{"text/answertest"},
		Ours:     []string{"text/..."},
		Outside:  []string{"pgregory.net/rapid"},
		Because:  "it has what the tests of packages that check answers share",
	},
	{
		Packages: []string{"text/..."},
		Ours:     []string{"text/..."},
		Outside:  []string{bluemonday, goldmark, snowball, tokenizer, xnet, xsys, xtext},
		Because:  "what a text says follows from the text and its tables, whoever's text it is: text imports nothing of ours but text",
	},
	{
		Packages: []string{"core/fault"},
		Because:  "every domain package returns faults, so faults can know none of them",
	},
	{
		Packages: []string{"core/system", "core/system/grant"},
		Ours:     []string{"core/system/grant"},
		Because:  "who may work across workspaces says nothing about what they do there",
	},
	{
		Packages: []string{"core/audit"},
		Ours:     domain[:2],
		Because:  "every domain package records what is done in it, so the audit log can know none of them",
	},
	{
		Packages: []string{"core/audit/export"},
		Ours:     []string{"core/audit", "internal/plain"},
		Because:  "an entry is written alike for people, collectors and the operator",
	},
	{
		Packages: []string{"core/plan"},
		Ours:     domain[:1],
		Because:  "a rule about plans is a pure function of the plan and what is used",
	},
	{
		Packages: []string{"core/outbox"},
		Ours:     domain[:3],
		Because:  "a mail waits to be sent, whatever it is about",
	},
	{
		Packages: []string{"core/rate"},
		Ours:     []string{"core/plan", "core/fault"},
		Outside:  []string{lru},
		Because:  "how many requests are admitted is counted, whoever makes them",
	},
	{
		Packages: []string{"core/account/factor"},
		Ours:     append([]string{"core/account/signin", "internal/plain"}, domain[:7]...),
		Outside:  []string{otp},
		Because:  "a domain package may import those before it, and declares ports instead of knowing a transport or WebAuthn",
	},
	{
		Packages: []string{"passkey"},
		Ours:     []string{"core/account", "core/account/factor", "core/fault", "internal/*"},
		Outside:  []string{webauthn},
		Because:  "an adapter knows the package that declares its port; the library of WebAuthn, which knows HTTP, ends here",
	},
	{
		Packages: []string{"core/account/signin"},
		Ours:     domain[:3],
		Because:  "what is shown at a sign-in is the same whoever asks for it",
	},
	{
		Packages: []string{"core/account/guessable"},
		Because:  "a list of passwords knows nobody who has one",
	},
	{
		Packages: []string{"core/account"},
		Ours:     append([]string{"core/account/guessable", "core/account/signin", "internal/netgroup", "internal/plain", "internal/useragent", "text/writing"}, domain[:6]...),
		Outside:  []string{crypto},
		Because:  "a domain package may import those before it, and no transport, adapter or vendor",
	},
	{
		Packages: []string{"core/seal"},
		Ours:     domain[:3],
		Outside:  []string{crypto},
		Because:  "a secret is sealed whatever it opens",
	},
	{
		Packages: []string{"core/tenant"},
		Ours:     append([]string{"internal/plain"}, domain[:7]...),
		Because:  "a domain package may import those before it, and no transport, adapter or vendor",
	},
	{
		Packages: []string{"core/subscription"},
		Ours:     domain[:8],
		Because:  "a domain package may import those before it, and no transport, adapter or vendor",
	},
	{
		Packages: []string{"core/chatbot"},
		Ours:     append([]string{"core/seal", "internal/plain"}, domain[:9]...),
		Outside:  []string{lru, xsync},
		Because:  "a domain package may import those before it, and no transport, adapter or vendor",
	},
	{
		Packages: []string{"core/retrieval/encoder"},
		Ours:     []string{"text/...", "core/retrieval"},
		Outside:  []string{lru},
		Because:  "a workspace's questions are remembered and take their turn, however they are encoded",
	},
	{
		Packages: []string{"core/retrieval"},
		Ours:     append([]string{"text/...", "internal/plain"}, domain[:10]...),
		Outside:  []string{lru},
		Because:  "a domain package knows those before it; retrieval finds passages, whatever states documents have",
	},
	{
		Packages: []string{"core/knowledge/embedding"},
		Ours:     []string{"core/fault", "core/retrieval", "text/..."},
		Because:  "an index entry is made of a passage, whatever the state of its document",
	},
	{
		Packages: []string{"core/knowledge/trial"},
		Ours:     []string{"core/chatbot", "core/retrieval", "core/knowledge", "core/knowledge/embedding", "text/..."},
		Because:  "knowledge is indexed and searched without documents' states and without a database, for what measures",
	},
	{
		Packages: []string{"core/knowledge/rebuild"},
		Ours:     []string{"core/retrieval", "core/knowledge", "core/system"},
		Because:  "an index is rebuilt from what is stored of documents",
	},
	{
		Packages: []string{"core/knowledge/encoding"},
		Ours:     []string{"core/retrieval", "core/system", "text/...", "internal/id"},
		Because:  "passages are encoded whatever document they are of",
	},
	{
		Packages: []string{"core/knowledge/browse"},
		Ours:     []string{"core/fault", "core/chatbot", "core/retrieval", "core/knowledge", "text/..."},
		Because:  "what people see of the knowledge is read, never changed",
	},
	{
		Packages: []string{"core/knowledge"},
		Ours:     append([]string{"core/knowledge/embedding", "text/...", "internal/plain", "internal/trace"}, domain[:11]...),
		Outside:  []string{lru},
		Because:  "a domain package may import those before it, and declares ports instead of knowing an index or a vendor",
	},
	{
		Packages: []string{"core/answer/prompt"},
		Ours:     []string{"core/chatbot", "text/...", "core/retrieval"},
		Because:  "a prompt is made of texts alone, whichever model gets it",
	},
	{
		Packages: []string{"core/answer/extractive"},
		Ours:     []string{"core/answer", "core/answer/prompt", "core/retrieval", "text/..."},
		Because:  "a model that quotes is no vendor, and what it quotes follows from texts",
	},
	{
		Packages: []string{"core/answer"},
		Ours:     []string{"core/answer/prompt", "core/chat/quota", "core/retrieval", "core/chatbot", "core/fault", "core/system", "text/...", "internal/trace"},
		Because:  "an answer is made for a ticket of core/chat/quota and without a database: what is kept of it is the business of core/chat",
	},
	{
		Packages: []string{"core/chat"},
		Ours:     []string{"core/audit", "core/chatbot", "core/fault", "core/system", "internal/plain"},
		Because:  "it keeps conversations, and knows neither how an answer is made nor how it travels",
	},
	{
		Packages: []string{"core/chat/quota"},
		Ours:     []string{"core/chat", "core/plan", "core/fault", "core/system"},
		Outside:  []string{lru},
		Because:  "it admits questions and counts them in their month, however they are answered",
	},
	{
		Packages: []string{"core/chat/turn"},
		Ours:     []string{"core/chat", "core/chat/quota", "core/answer", "core/answer/prompt", "text/...", "core/chatbot", "core/plan", "core/fault", "core/system", "internal/trace"},
		Outside:  []string{lru},
		Because:  "a turn has an answer made and kept, and declares ports instead of knowing a model or a vendor",
	},
	{
		Packages: []string{"core/insight"},
		Ours:     []string{"core/answer", "core/chat", "core/chat/quota", "core/chatbot", "core/fault", "core/knowledge", "text/...", "internal/plain"},
		Because:  "what conversations say about a chatbot comes after they were had, and an answer to a gap becomes knowledge",
	},
	{
		Packages: []string{"core/insight/stats"},
		Ours:     []string{"core/answer", "core/chat", "core/fault", "core/system", "internal/plain"},
		Because:  "sums are made of usage records, whatever was asked",
	},
	{
		Packages: []string{"core/insight/history"},
		Ours:     []string{"core/answer", "core/audit", "core/chat", "core/fault", "core/insight", "internal/plain"},
		Because:  "owners read conversations with the feedback on them",
	},
	{
		Packages: []string{"core/webhook"},
		Ours:     []string{"core/audit", "core/fault", "core/outbox", "core/plan", "core/system", "core/tenant", "internal/id", "internal/trace"},
		Because:  "it sends what other packages publish, and knows none of them",
	},
	{
		Packages: []string{"core/sso"},
		Ours:     []string{"core/account", "core/account/signin", "core/audit", "core/fault", "core/plan", "core/system", "core/tenant", "internal/id"},
		Because:  "whom an identity provider may sign in follows from addresses, members and settings, whatever the protocol",
	},
	{
		Packages: []string{"oidc"},
		Ours:     []string{"core/sso", "core/fault", "internal/*"},
		Outside:  []string{goOIDC, oauth2, lru},
		Because:  "it speaks the protocol; whose account somebody gets is the business of core/sso",
	},
	{
		Packages: []string{"oidc/oidctest"},
		Because:  "it is a provider that lies, for tests, and knows nobody who asks",
	},
	{
		Packages: []string{"core/isolation"},
		Ours:     []string{"core/chatbot", "core/fault", "core/plan", "core/system", "internal/id"},
		Because:  "it says what is tried, and knows neither how a request is sent nor how a row is written",
	},
	{
		Packages: []string{"core/privacy"},
		Ours:     []string{"core/account", "core/audit", "core/chatbot", "core/fault", "core/outbox", "core/plan", "core/retrieval", "core/subscription", "core/system", "core/tenant", "internal/id"},
		Because:  "what is erased and exported belongs to other packages, so it comes after them",
	},
	{
		Packages: []string{"core/find"},
		Ours:     []string{"core/fault"},
		Because:  "what is found has names of its own, so that a search needs no other domain",
	},
	{
		Packages: []string{"core/insight/testrun"},
		Ours:     []string{"core/answer", "core/audit", "core/chat", "core/chat/quota", "core/chatbot", "core/fault", "core/insight", "core/knowledge", "core/plan", "core/system", "core/tenant", "text/...", "internal/id", "internal/plain", "internal/separated"},
		Because:  "test questions are asked as owners ask again, and compared",
	},
	{
		Packages: []string{"core/backup/archive"},
		Ours:     []string{"core/fault"},
		Outside:  []string{crypto, compress, jsonv2},
		Because:  "a file is bytes and how they are written and read, whichever database they are of",
	},
	{
		Packages: []string{"core/backup"},
		Ours:     []string{"core/backup/archive", "core/fault"},
		Because:  "a backup is of all tables, whatever they mean",
	},
	{
		Packages: []string{"ent/migrate/diff"},
		Ours:     []string{"ent/...", "migrations", "internal/*"},
		Outside:  []string{entgo, atlas, pgx, sqlite},
		Because:  "it writes migrations from the schema, and needs nothing that runs in the server",
	},
	{
		Packages: []string{"ent/..."},
		Ours:     []string{"ent/...", "core/system"},
		Outside:  []string{entgo, atlas},
		Because:  "the schema is fields, edges and indexes; rules live in the domain packages",
	},
	{
		Packages: []string{"migrations"},
		Because:  "it embeds files and does nothing else",
	},
	{
		Packages: []string{"store"},
		Ours:     []string{"core/answer", "core/audit", "core/fault", "core/isolation", "core/knowledge/browse", "core/plan", "core/system", "core/tenant", "ent/...", "migrations", "internal/*"},
		Outside:  []string{gjson, entgo, libc, pgx, sqlite},
		Because:  "it has what queries are made of; the packages below it import it, and it none of them",
	},
	{
		Packages: []string{"store/insight"},
		Ours:     []string{"core/*", "core/insight/history", "core/insight/stats", "core/insight/testrun", "ent/...", "store", "store/citation", "store/bots", "store/chat", "store/knowledge", "text/...", "internal/*"},
		Outside:  []string{entgo},
		Because:  "it reads rows that package chat writes, and counts a test's questions where package chat counts",
	},
	{
		Packages: []string{"store/isolation"},
		Ours:     []string{"core/*", "core/insight/testrun", "ent/...", "store", "store/citation", "store/chat", "store/knowledge", "store/people", "store/privacy", "internal/*"},
		Outside:  []string{entgo},
		Because:  "it plants rows of all subjects, and erases a workspace as its owner would",
	},
	{
		Packages: []string{"store/privacy"},
		Ours:     []string{"core/*", "ent/...", "store", "store/outbound", "internal/*"},
		Outside:  []string{entgo},
		Because:  "it counts mails by what package outbound keeps of them",
	},
	{
		Packages: []string{"store/ports"},
		Ours:     []string{"core/*", "core/account/factor", "store", "store/*"},
		Because:  "it fills ports that several packages below store implement together",
	},
	{
		Packages: []string{"store/audit", "store/billing", "store/bots", "store/chat", "store/knowledge", "store/outbound", "store/people"},
		Ours:     []string{"core/*", "core/account/factor", "core/account/signin", "core/knowledge/browse", "core/knowledge/rebuild", "core/chat/quota", "core/chat/turn", "ent/...", "store", "store/citation", "text/...", "internal/*"},
		Outside:  []string{entgo, lru},
		Because:  "queries of a subject map rows to the domain's types; they import package store and no other subject's queries, and adapters never import one another, nor a transport",
	},
	{
		Packages: []string{"store/servers"},
		Ours:     []string{"core/*", "ent/...", "store", "internal/*"},
		Outside:  []string{entgo, pgx},
		Because:  "servers agree by rows, and hear of one another on a connection that waits for notifications",
	},
	{
		Packages: []string{"store/citation"},
		Ours:     []string{"core/answer", "store"},
		Outside:  []string{gjson},
		Because:  "it is how one column is written and read",
	},
	{
		Packages: []string{"store/tenancy"},
		Ours:     []string{"core/*", "core/account/factor", "store", "store/audit", "store/outbound", "store/people", "store/ports"},
		Because:  "it connects people, workspaces and payments with one database, for the program and for tests",
	},
	{
		Packages: []string{"store/snapshot"},
		Ours:     []string{"core/backup", "core/backup/archive", "core/fault", "migrations", "store", "internal/*"},
		Outside:  []string{pgx},
		Because:  "it reads and fills databases as a whole, by their catalog, and knows no subject",
	},
	{
		Packages: []string{"store/tenancytest"},
		Ours:     []string{"core/*", "core/system/grant", "store", "store/billing", "store/bots", "store/people", "store/storetest", "store/tenancy"},
		Because:  "it makes a workspace for tests, whatever they do in it",
	},
	{
		Packages: []string{"store/storetest"},
		Ours:     []string{"store", "ent/...", "internal/pgtest"},
		Because:  "it copies databases that the store has migrated, and rows, for tests",
	},
	{
		Packages: []string{"index/embedded/segment"},
		Ours:     []string{"core/retrieval", "text/...", "core/fault", "internal/*"},
		Outside:  []string{xsys},
		Because:  "a segment is bytes and how they are searched, wherever they are kept",
	},
	{
		Packages: []string{"index/embedded"},
		Ours:     []string{"index/embedded/segment", "core/retrieval", "text/...", "core/fault", "internal/*"},
		Outside:  []string{sqlite, lru},
		Because:  "an index knows the package that declares its port; adapters never import one another",
	},
	{
		Packages: []string{"index/weaviate/terms"},
		Ours:     []string{"core/retrieval", "internal/*"},
		Because:  "a passage's words are text, whatever the connection to the server",
	},
	{
		Packages: []string{"index/weaviate/idf"},
		Ours:     []string{"core/retrieval", "text/...", "internal/*"},
		Outside:  []string{lru},
		Because:  "how rare a word is follows from scores or counts, wherever they come from",
	},
	{
		Packages: []string{"index/weaviate/nodes"},
		Ours:     []string{"core/fault", "internal/*"},
		Outside:  []string{grpc, protobuf},
		Because:  "which node a call goes to does not depend on what it says",
	},
	{
		Packages: []string{"index/weaviate"},
		Ours:     []string{"index/weaviate/idf", "index/weaviate/nodes", "index/weaviate/terms", "core/retrieval", "text/...", "core/fault", "internal/*"},
		Outside:  []string{weaviate, weaviateClient, grpc, protobuf, uuid, openapi, xsync, lru},
		Because:  "an index knows the package that declares its port, and its own vendor; adapters never import one another",
	},
	{
		Packages: []string{"index/indextest"},
		Ours:     []string{"core/retrieval", "text/...", "core/fault", "internal/*"},
		Because:  "the suite is for every index, so it knows none",
	},
	{
		Packages: []string{"extract"},
		Ours:     []string{"extract/document", "extract/html", "extract/office", "extract/pdf", "core/knowledge", "core/fault", "text/...", "internal/*"},
		Outside:  []string{excelize, xsys, seccomp},
		Because:  "a file becomes Markdown whoever gave it, in a confined process; its tests write office files",
	},
	{
		Packages: []string{"extract/extracttest"},
		Ours:     []string{"extract/document"},
		Outside:  []string{"pgregory.net/rapid", xtext},
		Because:  "it has what the tests of readers share, and knows no reader",
	},
	{
		Packages: []string{"extract/saved"},
		Because:  "its tests read files that other programs made",
	},
	{
		Packages: []string{"extract/document"},
		Ours:     []string{"text/writing", "core/knowledge", "core/fault", "internal/*"},
		Outside:  []string{xnet, xtext},
		Because:  "what the readers of all kinds share knows none of them",
	},
	{
		Packages: []string{"extract/pdf"},
		Ours:     []string{"extract/document", "text/writing", "core/knowledge", "core/fault", "internal/*"},
		Outside:  []string{pdfium, wazero},
		Because:  "a reader knows its format and what all readers share; the PDF library ends here",
	},
	{
		Packages: []string{"extract/html"},
		Ours:     []string{"extract/document", "text/raised", "core/knowledge", "core/fault", "internal/*"},
		Outside:  []string{htmlToMarkdown, readability, xnet},
		Because:  "a reader knows its format and what all readers share; HTML's libraries end here",
	},
	{
		Packages: []string{"extract/office"},
		Ours:     []string{"extract/document", "extract/html", "core/knowledge", "core/fault", "text/raised", "internal/*"},
		Outside:  []string{excelize, xnet},
		Because:  "a reader knows its format and what all readers share; chapters of an EPUB are HTML",
	},
	{
		Packages: []string{"fetch"},
		Ours:     []string{"core/knowledge", "core/webhook", "core/fault", "fetch/hosts", "fetch/robots", "fetch/sitemap", "fetch/target", "internal/*"},
		Outside:  []string{ssrf, xnet, xsync, lru},
		Because:  "an address is read whoever named it; the way to the public network begins here",
	},
	{
		Packages: []string{"fetch/hosts"},
		Ours:     []string{"core/fault", "internal/*"},
		Because:  "processes take turns whatever they read, and wherever they meet",
	},
	{
		Packages: []string{"fetch/robots"},
		Ours:     []string{"fetch/target"},
		Because:  "it reads a file format",
	},
	{
		Packages: []string{"fetch/sitemap", "fetch/target"},
		Because:  "it reads a format and knows no network",
	},
	{
		Packages: []string{"jobs"},
		Ours:     []string{"internal/*"},
		Outside:  []string{river, pgx},
		Because:  "the queue knows workspaces and no work; River ends here",
	},
	{
		Packages: []string{"llm/upstream"},
		Ours:     []string{"core/fault", "internal/*"},
		Outside:  []string{gjson, failsafe},
		Because:  "what all model servers have in common is nobody's wire format, and no vendor's",
	},
	{
		Packages: []string{"llm/upstream/upstreamtest"},
		Ours:     []string{"core/answer", "core/answer/prompt", "core/fault", "llm/llmtest", "llm/upstream", "internal/*"},
		Because:  "the suite is for every adapter of a model server, so it knows none",
	},
	{
		Packages: []string{"llm/openai"},
		Ours:     []string{"core/answer", "core/answer/prompt", "core/retrieval", "text/...", "llm/upstream", "internal/*"},
		Outside:  []string{gjson},
		Because:  "a model knows the package that declares its port, and its own vendor; adapters never import one another",
	},
	{
		Packages: []string{"llm/anthropic"},
		Ours:     []string{"core/answer", "core/answer/prompt", "text/...", "llm/upstream", "internal/*"},
		Outside:  []string{gjson},
		Because:  "a model knows the package that declares its port, and its own vendor; adapters never import one another",
	},
	{
		Packages: []string{"llm/models"},
		Ours:     []string{"core/answer", "core/answer/prompt", "core/chatbot", "core/fault", "llm/fallback", "internal/*"},
		Outside:  []string{lru},
		Because:  "it knows which models a chatbot has and puts one behind the other; what opens them is wired in app",
	},
	{
		Packages: []string{"llm/fallback"},
		Ours:     []string{"core/answer", "core/answer/prompt", "core/fault", "internal/*"},
		Outside:  []string{failsafe},
		Because:  "it puts one model behind another, whatever they are",
	},
	{
		Packages: []string{"llm/llmtest"},
		Ours:     []string{"core/answer", "core/answer/prompt", "core/retrieval", "core/fault", "text/...", "internal/*"},
		Because:  "a model knows the package that declares its port; this one has no vendor",
	},
	{
		Packages: []string{"billing"},
		Ours:     []string{"billing/stripeevent", "billing/setup", "billing/stripeapi", "core/subscription", "core/tenant", "core/plan", "core/audit", "core/fault", "internal/*"},
		Outside:  []string{stripe},
		Because:  "billing knows who pays for what, and no transport: Fiber ends in api and web",
	},
	{
		Packages: []string{"billing/setup"},
		Ours:     []string{"billing/stripeapi", "core/audit", "core/plan", "core/fault", "internal/*"},
		Outside:  []string{stripe},
		Because:  "what is set up at Stripe follows from the plans, whoever pays for them",
	},
	{
		Packages: []string{"billing/stripeapi"},
		Ours:     []string{"core/subscription", "core/fault", "internal/*"},
		Outside:  []string{stripe},
		Because:  "a call to Stripe is bounded and its failure a fault, whatever is asked; package subscription has the type of an account",
	},
	{
		Packages: []string{"billing/stripeevent"},
		Ours:     []string{"core/fault", "internal/*"},
		Outside:  []string{stripe},
		Because:  "whether Stripe signed an event, and whom it is about, follows from its bytes alone",
	},
	{
		Packages: []string{"billing/stripetest"},
		Ours:     []string{"core/plan", "core/fault", "internal/*"},
		Outside:  []string{stripe},
		Because:  "it is another Stripe, which knows nothing of workspaces",
	},
	{
		Packages: []string{"mail"},
		Ours:     []string{"core/outbox", "core/fault", "internal/*"},
		Outside:  []string{gomail},
		Because:  "it sends the mails that a domain package has written, whatever they are about",
	},
	{
		Packages: []string{"mail/mailtest"},
		Outside:  []string{emersion},
		Because:  "it takes mails from whoever sends them",
	},
	{
		Packages: []string{"views/once"},
		Because:  "it marks what templ wrote",
	},
	{
		Packages: []string{"views/ui"},
		Ours:     []string{"static"},
		Outside:  []string{templ},
		Because:  "a component shows what it is given, whatever page it is on; it knows the addresses of its icons and scripts",
	},
	{
		Packages: []string{"views/shell"},
		Ours:     []string{"views/ui", "static"},
		Outside:  []string{templ},
		Because:  "what surrounds a page knows its parts and no page",
	},
	{
		Packages: []string{"views/bot", "views/workspace", "views/auditlog", "views/person", "views/reference"},
		Ours:     []string{"views/ui", "views/shell"},
		Outside:  []string{templ},
		Because:  "nothing is fetched or decided in a view; a page brings all it shows in its model",
	},
	{
		Packages: []string{"views/letter"},
		Outside:  []string{templ},
		Because:  "a mail is read far from the server, so that it has no style, script or picture of the pages",
	},
	{
		Packages: []string{"views/gallery"},
		Ours:     []string{"views/ui", "views/shell", "views/bot", "views/workspace", "views/auditlog", "views/person", "views/reference"},
		Outside:  []string{templ},
		Because:  "it shows all pages with invented data, so that it needs neither a database nor a transport",
	},
	{
		Packages: []string{"static"},
		Outside:  []string{brotli},
		Because:  "it embeds files and compresses each once",
	},
	{
		Packages: []string{"api/openai"},
		Ours:     []string{"core/answer", "core/answer/prompt", "core/chat", "core/chat/turn", "core/fault", "text/citation"},
		Outside:  []string{jsonv2},
		Because:  "it knows the shapes of OpenAI's clients, and neither routes nor databases",
	},
	{
		Packages: []string{"api/mcp"},
		Ours:     []string{"core/chatbot", "core/knowledge", "core/retrieval", "core/fault", "internal/*"},
		Outside:  []string{mcpSDK, jsonv2},
		Because:  "a protocol has its tools and messages, and knows neither who calls nor how an answer is made",
	},
	{
		Packages: []string{"api/sunset"},
		Outside:  []string{yaml},
		Because:  "it reads what a description says, whatever routes there are",
	},
	{
		Packages: []string{"api"},
		Ours:     []string{"api/mcp", "api/openai", "api/sunset", "core/*", "core/insight/history", "core/insight/testrun", "core/knowledge/browse", "text/markdown", "core/chat/turn", "billing", "api/bodies", "api/route", "api/wire", "internal/*"},
		Outside:  []string{fiber, fasthttp, jsonv2},
		Because:  "a transport decodes, calls a domain package and answers; app decides what stands behind a port",
	},
	{
		Packages: []string{"web/page"},
		Ours:     []string{"core/*", "core/account/factor", "core/account/signin", "core/insight/history", "core/insight/stats", "core/insight/testrun", "core/knowledge/browse", "text/markdown", "core/chat/turn", "billing", "views/ui", "views/shell", "api/bodies", "api/route", "internal/*"},
		Outside:  []string{fiber, fasthttp, templ},
		Because:  "what all pages share knows none of them",
	},
	{
		Packages: []string{"web/bot"},
		Ours:     []string{"core/*", "core/insight/history", "core/insight/stats", "core/insight/testrun", "core/knowledge/browse", "text/markdown", "core/chat/turn", "billing", "views/ui", "views/shell", "views/bot", "web/page", "api/bodies", "api/route", "api/wire", "internal/*"},
		Outside:  []string{fiber, templ},
		Because:  "a transport decodes, calls a domain package and answers; app decides what stands behind a port",
	},
	{
		Packages: []string{"web/auditlog"},
		Ours:     []string{"core/*", "core/audit/export", "views/ui", "views/shell", "views/auditlog", "web/page", "api/bodies", "api/route", "internal/*"},
		Outside:  []string{fiber},
		Because:  "a transport decodes, calls a domain package and answers; app decides what stands behind a port",
	},
	{
		Packages: []string{"web/workspace"},
		Ours:     []string{"core/*", "text/markdown", "core/chat/turn", "billing", "views/ui", "views/shell", "views/workspace", "web/page", "api/bodies", "api/route", "internal/*"},
		Outside:  []string{fiber, templ},
		Because:  "a transport decodes, calls a domain package and answers; app decides what stands behind a port",
	},
	{
		Packages: []string{"web/privacy"},
		Ours:     []string{"core/*", "text/markdown", "core/chat/turn", "billing", "views/ui", "views/shell", "views/workspace", "web/page", "api/bodies", "api/route", "internal/*"},
		Outside:  []string{fiber, templ},
		Because:  "a transport decodes, calls a domain package and answers; app decides what stands behind a port",
	},
	{
		Packages: []string{"web/person"},
		Ours:     []string{"core/*", "core/account/factor", "core/account/signin", "text/markdown", "core/chat/turn", "billing", "views/ui", "views/shell", "views/person", "web/page", "api/bodies", "api/route", "internal/*"},
		Outside:  []string{fiber, templ},
		Because:  "a transport decodes, calls a domain package and answers; app decides what stands behind a port",
	},
	{
		Packages: []string{"web/signon"},
		Ours:     []string{"core/*", "core/account/signin", "views/ui", "views/shell", "views/person", "views/workspace", "web/page", "api/bodies", "api/route", "internal/*"},
		Outside:  []string{fiber},
		Because:  "a transport decodes, calls a domain package and answers; app decides what stands behind a port",
	},
	{
		Packages: []string{"web/reference"},
		Ours:     []string{"text/markdown", "views/ui", "views/shell", "views/reference", "web/page", "api/bodies", "api/route", "internal/*"},
		Outside:  []string{fiber, jsonv2, yaml},
		Because:  "it shows the description of the API, whatever routes there are",
	},
	{
		Packages: []string{"web"},
		Ours:     []string{"web/page", "web/bot", "web/workspace", "web/privacy", "web/auditlog", "web/person", "web/signon", "web/reference", "views/gallery", "views/shell", "static", "api/bodies", "api/route", "internal/*"},
		Outside:  []string{fiber, templ},
		Because:  "it registers the pages and serves the files; what a page does is in the packages below",
	},
	{
		Packages: []string{"web/webtest"},
		Outside:  []string{fiber, xnet},
		Because:  "it sends requests to whatever pages a test has",
	},
	{
		Packages: []string{"web/shoptest"},
		Ours:     []string{"core/*", "core/account/factor", "core/account/signin", "passkey", "core/insight/history", "core/insight/stats", "core/knowledge/browse", "core/chat/turn", "core/system/grant", "billing", "store", "store/*", "web", "web/page", "web/webtest", "api/bodies", "api/route", "internal/*"},
		Outside:  []string{fiber, xnet},
		Because:  "it puts all pages over a database, for tests",
	},
	{
		Packages: []string{"internal/pgtest"},
		Ours:     []string{"internal/testinputs"},
		Outside:  []string{pgx},
		Because:  "it creates databases for tests, whatever they put in",
	},
	{
		Packages: []string{"internal/qr"},
		Outside:  []string{barcode},
		Because:  "a QR code is drawn from a text, whatever it says",
	},
	{
		Packages: []string{"internal/sqlitelog"},
		Outside:  []string{sqlite},
		Because:  "the data and the index are files that are opened alike on a full disk",
	},
	{
		Packages: []string{"internal/metrics"},
		Outside:  []string{prometheus, clientModel},
		Because:  "it counts what it is told to, and knows nobody who tells",
	},
	{
		Packages: []string{"internal/trace"},
		Outside:  []string{otel},
		Because:  "it records parts of requests and jobs, whatever they are about, and knows nobody who sends them",
	},
	{
		Packages: []string{"internal/telemetry"},
		Ours:     []string{"internal/trace"},
		Outside:  []string{otel, clientModel, protobuf},
		Because:  "it sends what was recorded and counted, and knows neither requests nor tenants",
	},
	{
		Packages: []string{"internal/telemetrytest"},
		Outside:  []string{otel, protobuf},
		Because:  "it is a collector, for tests, and knows nobody who sends",
	},
	{
		Packages: []string{"internal/requestid", "internal/requestline", "internal/clientaddr", "internal/security"},
		Ours:     []string{"internal/*"},
		Outside:  []string{fiber},
		Because:  "they are what the transports share about a request, and know none of them",
	},
	{
		Packages: []string{"api/bodies"},
		Ours:     []string{"core/fault", "internal/*"},
		Outside:  []string{fiber, fasthttp},
		Because:  "both transports read bodies and send answers, within one bound of memory",
	},
	{
		Packages: []string{"internal/contract"},
		Outside:  []string{kinOpenAPI, jsonschema, jsonv2},
		Because:  "it compares what a server does with the description of the API, for tests, and knows no server",
	},
	{
		Packages: []string{"api/wire"},
		Ours:     []string{"core/*", "core/chat/turn", "core/insight/history", "core/insight/stats", "core/insight/testrun", "text/markdown", "internal/publicid"},
		Because:  "routes, commands, exports and webhooks show a thing in one shape; it makes that of the domain's types, and knows nobody who sends it",
	},
	{
		Packages: []string{"api/route"},
		Ours:     []string{"core/audit", "core/fault", "core/rate", "core/tenant", "core/chatbot", "api/bodies", "internal/diskspace", "internal/netgroup"},
		Outside:  []string{fiber},
		Because:  "routes of both transports declare the same things in the same words: actions, scopes, rates and sizes, and fail with the same statuses",
	},
	{
		Packages: []string{"app/..."},
		Ours:     []string{"..."},
		Outside:  []string{"*"},
		Because:  "it connects domain and adapters",
	},
	{
		Packages: []string{"internal/*"},
		Ours:     []string{"internal/*"},
		Because:  "what everyone may import imports nothing that somebody may not",
	},
	{
		Packages: []string{"cmd/..."},
		Ours:     []string{"cmd/...", "core/...", "api/wire", "text/markdown", "billing", "billing/setup", "internal/*", "app/..."},
		Outside:  []string{kong, jsonv2, xterm},
		Because:  "a command parses, calls a service of the program and prints; app opens what it needs",
	},
	{
		Packages: []string{"docs"},
		Closed:   true,
		Because:  "its tests read the documentation and the code, and run nothing",
	},
	{
		Packages: []string{"e2e/..."},
		Ours:     append([]string{".", "app", "e2e/harness", "internal/contract", "internal/smalldisk", "internal/testinputs", "core/...", "text/..."}, doubles...),
		Outside:  []string{otp, jsonv2, chromedp, goleak, mcpSDK, xnet, xsync, goldmark, stdWebhooks, yaml},
		Closed:   true,
		Because:  "it tests the whole program from outside: it sees no adapter and no transport, and the domain packages only for the types of what the program's services take and return, as workspaces and documents are prepared with those",
	},
}

// bans hold whatever a row allows.
var bans = []Ban{
	{
		Imports: []string{root + "/app"},
		In:      []string{"..."},
		Except:  []string{"cmd/...", "app/...", "e2e/..."},
		Tests:   true,
		Because: "the program knows all packages, so that only its commands and its whole-program tests may know it",
	},
	{
		Imports: []string{root + "/core/system/grant"},
		In:      []string{"..."},
		Except:  []string{"core/system", "app", "store/tenancytest", "web/shoptest"},
		Because: "only the program's wiring, and tests, may let anything work across workspaces",
	},
	{
		Imports: []string{"net/http"},
		In:      []string{"core/..."},
		Tests:   true,
		Because: "domain packages know no transport",
	},
	{
		Imports: []string{"database/sql"},
		In:      []string{"core/..."},
		Tests:   true,
		Because: "domain packages know no database",
	},
	{
		Imports: []string{"database/sql"},
		In:      []string{"api", "web/...", "billing/...", "views/...", "llm/..."},
		Because: "queries live in store, one file a subject",
	},
	{
		Imports: []string{"net/http"},
		In:      []string{"views/..."},
		Because: "nothing is fetched or decided in a view",
	},
	{
		Imports: []string{root + "/ent", entgo, atlas},
		In:      []string{"..."},
		Except:  append([]string{"ent/...", "store", "store/storetest"}, stores...),
		Tests:   true,
		Because: "ent ends in store and the packages below it, which map its rows to the domain's types",
	},
	{
		Imports: []string{sqlite},
		In:      []string{"..."},
		Except:  []string{"store", "index/embedded", "internal/sqlitelog", "ent/migrate/diff"},
		Tests:   true,
		Because: "one place decides how a SQLite file is opened: store for the data, index/embedded for the index, with what both need of internal/sqlitelog",
	},
	{
		Imports: []string{pgx},
		In:      []string{"..."},
		Except:  []string{"store", "store/servers", "store/snapshot", "jobs", "ent/migrate/diff", "internal/pgtest"},
		Tests:   true,
		Because: "PostgreSQL ends in store and where servers hear of one another, and in the queue that River keeps there",
	},
	{
		Imports: []string{stripe},
		In:      []string{"..."},
		Except:  []string{"billing/..."},
		Tests:   true,
		Because: "Stripe ends in billing, which speaks of plans and workspaces",
	},
	{
		Imports: []string{gomail},
		In:      []string{"..."},
		Except:  []string{"mail"},
		Tests:   true,
		Because: "SMTP ends in mail",
	},
	{
		Imports: []string{goOIDC, oauth2},
		In:      []string{"..."},
		Except:  []string{"oidc"},
		Tests:   true,
		Because: "OpenID Connect ends in oidc, which speaks of people and their addresses",
	},
	{
		Imports: []string{prometheus},
		In:      []string{"..."},
		Except:  []string{"internal/metrics"},
		Tests:   true,
		Because: "one place names the figures, so that no label can tell a tenant",
	},
	{
		Imports: []string{otel},
		In:      []string{"..."},
		Except:  []string{"internal/trace", "internal/telemetry", "internal/telemetrytest"},
		Tests:   true,
		Because: "two small packages know OpenTelemetry, so that no attribute can tell a tenant unseen",
	},
	{
		Imports: []string{river},
		In:      []string{"..."},
		Except:  []string{"jobs"},
		Tests:   true,
		Because: "River ends in jobs, which speaks of workspaces",
	},
	{
		Imports: []string{weaviateClient, weaviate},
		In:      []string{"..."},
		Except:  []string{"index/weaviate"},
		Tests:   true,
		Because: "Weaviate ends in index/weaviate",
	},
	{
		Imports: []string{tokenizer, failsafe},
		In:      []string{"..."},
		Except:  []string{"llm/...", "text/tokens"},
		Because: "vendors of models end in llm",
	},
	{
		Imports: []string{snowball},
		In:      []string{"..."},
		Except:  []string{"text/..."},
		Tests:   true,
		Because: "core has rules and no stemmers: what belongs to a language stands in text",
	},
	{
		Imports: []string{xtext},
		In:      []string{"..."},
		Except:  []string{"text/...", "extract/document", "extract/extracttest"},
		Because: "letters and their forms are the business of text; extract decodes the character sets of files",
	},
	{
		Imports: []string{"net/http", "database/sql", "os/exec"},
		In:      []string{"text/..."},
		Tests:   true,
		Because: "text is pure functions and their tables: it knows no tenant, no database and no network",
	},
	{
		Imports: []string{root + "/core", root + "/store", root + "/index", root + "/llm", root + "/app", root + "/api", root + "/web"},
		In:      []string{"text/..."},
		Tests:   true,
		Because: "text is pure functions and their tables: it knows no tenant, no database, no network and none of the domain's types",
	},
	{
		Imports: append(prefixed(doubles), root+"/e2e/harness", root+"/internal/contract", root+"/internal/smalldisk", root+"/text/answertest", root+"/extract/extracttest", root+"/llm/upstream/upstreamtest"),
		In:      []string{"..."},
		Except:  []string{"e2e/harness", "index/indextest", "llm/llmtest", "llm/upstream/upstreamtest", "store/storetest", "store/tenancytest"},
		Because: "doubles and suites for tests stay out of the program",
	},
}

// Tests may import more than the code they test: a test is where things are
// put together. The bans that say so are for tests too.
var (
	testOurs    = []string{"core/...", "text/...", "api/bodies", "api/route", "api/wire", "store", "store/*", "index/*", "llm/*", "llm/upstream/upstreamtest", "jobs", "extract", "extract/document", "extract/extracttest", "extract/html", "fetch", "billing/...", "mail", "mail/mailtest", "oidc", "oidc/oidctest", "views/...", "static", "migrations", "internal/*", "api", "web/..."}
	testOutside = []string{"golang.org/x/sync", xtext, "pgregory.net/rapid", goleak, xnet, goldmark, chromedp, otp}
)
