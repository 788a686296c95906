package servers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
)

const (
	// gibibyte is the memory of the smallest machine that docs/deploying.md names.
	gibibyte = 1 << 30
	// mostOfServer is what of it the server alone may take: the processes that read files
	// need the rest.
	mostOfServer = 700 << 20
	// slowed is how many times as long an answer may take under attack, at the median.
	slowed = 400
)

// attack is one kind of request that becomes much larger in memory than it was.
type attack struct {
	name string
	// atOnce is how many are sent at the same time.
	atOnce                    int
	method, path, contentType string
	body                      []byte
	// signedIn says that a person sends it, and not a program.
	signedIn bool
}

// hostile are the attacks of a workspace. Each body is small, and what a careless reader
// makes of it is not.
func hostile(tn harness.Tenant, document string) []attack {
	const mib = 1 << 20
	form, asJSON := harness.FormType.Value, "application/json"
	bot := "/api/chatbots/" + tn.Chatbot
	list := func(before, element, after string) []byte {
		return []byte(before + strings.Repeat(element+",", (mib-200)/(len(element)+1)) + element + after)
	}
	file := func(name string, content []byte) []byte {
		head := "--border\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\n"
		return slices.Concat([]byte(head), content, []byte("\r\n--border--\r\n"))
	}
	parts := harness.MultipartType.Value
	page := bot + "/knowledge/" + document
	return []attack{
		{"pages of a document", 32, "GET", strings.TrimPrefix(page, "/api"), "", nil, true},
		{"documents", 32, "GET", bot + "/documents/" + document, "", nil, true},
		{"documents by a tool", 32, "POST", "/api/v1/mcp", asJSON, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":{"id":"` + document + `"}}}`), false},
		{"forms of pairs", 16, "POST", "/account/name", form, bytes.Repeat([]byte("a&"), 500_000), true},
		{"forms of one long value", 16, "POST", "/account/name", form, append([]byte("name="), bytes.Repeat([]byte("%3C"), 300_000)...), true},
		{"parts with endless headers", 16, "POST", bot + "/documents", parts, []byte("--border\r\nContent-Disposition: form-data; name=file" + strings.Repeat("; a=b", 200_000) + "\r\n\r\n\r\n--border--\r\n"), true},
		{"lists of questions", 16, "POST", bot + "/evaluate", asJSON, list(`{"questions":[`, "{}", "]}"), true},
		{"nested lists", 16, "POST", bot + "/evaluate", asJSON, []byte(`{"other":` + strings.Repeat("[", mib-200)), true},
		{"names", 16, "POST", bot + "/evaluate", asJSON, list(`{"a":0`, `"":0`, "}"), true},
		{"messages of OpenAI's clients", 16, "POST", "/api/v1/openai/chat/completions", asJSON, list(`{"messages":[`, "{}", "]}"), false},
		{"arguments of tools", 16, "POST", "/api/v1/mcp", asJSON, list(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"question":"a","other":[`, "0", "]}}}"), false},
		{"metadata", 16, "POST", "/api/v1/conversations", asJSON, list(`{"metadata":{"a":[`, "[]", "]}}"), false},
		{"tables", 4, "POST", bot + "/documents", parts, file("a.csv", bytes.Repeat([]byte(",\n"), 2*mib)), true},
		{"pairs", 4, "POST", bot + "/documents", parts, file("a.jsonl", bytes.Repeat([]byte(`{"question":"a","answer":"b"}`+"\n"), mib/8)), true},
		{"links", 4, "POST", bot + "/documents", parts, file("a.md", bytes.Repeat([]byte("[a](b)"), mib/3)), true},
		{"texts", 4, "POST", bot + "/documents", asJSON, []byte(`{"title":"a","content":"` + strings.Repeat("a. ", mib) + `"}`), true},
	}
}

// attackTime is how long each test attacks.
func attackTime(t *testing.T) time.Duration {
	t.Helper()
	if text := os.Getenv("PARLEY_ATTACK_TIME"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	return 10 * time.Second
}

// onslaught sends attacks until it ends.
type onslaught struct {
	*harness.Process
	ctx      context.Context
	cookie   string
	token    string
	client   *http.Client
	all      sync.WaitGroup
	networks atomic.Uint32
	// said counts answers by their status.
	mu   sync.Mutex
	said map[int]int
}

// network is the address of a client that nobody has had before: the server trusts the
// proxy that this test is.
func (o *onslaught) network() string {
	n := o.networks.Add(1)
	return fmt.Sprintf("198.18.%d.%d", n>>8&0xff, n&0xff)
}

// sends sends one request over and over again.
func (o *onslaught) sends(a attack) {
	for range a.atOnce {
		from := o.network()
		o.all.Go(func() {
			for o.ctx.Err() == nil {
				request, err := http.NewRequestWithContext(o.ctx, a.method, o.Base+a.path, bytes.NewReader(a.body))
				if err != nil {
					o.Error(err)
					return
				}
				request.Header.Set("Content-Type", a.contentType)
				request.Header.Set("X-Forwarded-For", from)
				if a.signedIn {
					request.Header.Set("Cookie", o.cookie)
					request.Header.Set("Sec-Fetch-Site", "same-origin")
				} else {
					request.Header.Set("Authorization", "Bearer "+o.token)
				}
				response, err := o.client.Do(request)
				if err != nil {
					continue // the server may close a connection whose body it does not want
				}
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
				o.mu.Lock()
				o.said[response.StatusCode]++
				o.mu.Unlock()
			}
		})
	}
}

// readsNothing asks on many connections, and reads nothing of the answers.
func (o *onslaught) readsNothing(n int, request string) {
	small := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) })
	}}
	for range n {
		from := o.network()
		o.all.Go(func() {
			for o.ctx.Err() == nil {
				conn, err := small.DialContext(o.ctx, "tcp", strings.TrimPrefix(o.Base, "http://"))
				if err != nil {
					continue
				}
				_, _ = fmt.Fprintf(conn, "%s\r\nHost: parley\r\nX-Forwarded-For: %s\r\nAuthorization: Bearer %s\r\n", request, from, o.token)
				_, _ = io.WriteString(conn, "Content-Type: application/json\r\nContent-Length: 41\r\n\r\n"+harness.OpeningQuestion)
				select {
				case <-o.ctx.Done():
				case <-time.After(3 * time.Second):
				}
				conn.Close()
			}
		})
	}
}

// asks asks over and over again, as one who has nothing to do with the attacks, until ctx
// ends, and returns how long the answers took.
func asks(p *harness.Process, ctx context.Context, token string) (took []time.Duration) {
	p.Helper()
	for ctx.Err() == nil || len(took) == 0 {
		began := time.Now()
		r := p.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(token), harness.Header{Name: "X-Forwarded-For", Value: "203.0.113.1"})
		took = append(took, time.Since(began))
		if r.StatusCode != http.StatusOK {
			p.Errorf("an innocent question is answered %d: %s", r.StatusCode, r.Text)
			return took
		}
	}
	return took
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// TestServesWithinAGibibyte has a server in a control group of a gibibyte, in which the
// processes that read files are, too.
func TestServesWithinAGibibyte(t *testing.T) {
	group := harness.NewCgroup(t, gibibyte)
	s := &harness.Installation{T: t, Dir: t.TempDir(), Cgroup: group}
	harness.ShareCache(t, s.Dir)
	var baker, mallory harness.Tenant
	var secret, document string
	s.Inside(func(w *harness.Instance) {
		baker, mallory = w.NewTenant("baker", plan.Enterprise, harness.Opening), w.NewTenant("mallory", plan.Enterprise, harness.Opening)
		_, secret = w.Issue(mallory, chatbot.NewToken{Scopes: chatbot.AllScopes()})
		d, err := w.Server.Knowledge.Documents.Add(w.Context(), mallory.Workspace, mallory.Chatbot, knowledge.NewDocument{Title: "Long", Content: strings.Repeat("A long text. ", 300_000)})
		w.Must(err)
		document = d.ID
		for more := true; more; {
			more, err = w.Server.Knowledge.Worker.WorkOff(t.Context(), mallory.Workspace)
			w.Must(err)
		}
	})
	p := s.Serve("TRUSTED_PROXIES=127.0.0.1", "LOG_LEVEL=warn")
	visitor := p.SignedIn(mallory.Email, mallory.Password)
	var cookie strings.Builder
	for name, value := range visitor.Cookies {
		fmt.Fprintf(&cookie, "%s=%s; ", name, value)
	}
	resting, stop := context.WithTimeout(t.Context(), attackTime(t)/5)
	atRest := median(asks(p, resting, baker.Token))
	stop()
	conversation := longConversation(p, secret)

	ctx, end := context.WithTimeout(t.Context(), attackTime(t))
	defer end()
	o := &onslaught{
		Process: p, ctx: ctx, cookie: cookie.String(), token: secret, said: map[int]int{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 500}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	for _, a := range hostile(mallory, document) {
		o.sends(a)
	}
	o.readsNothing(100, "GET /api/v1/conversations/"+conversation+"/messages HTTP/1.1")
	o.readsNothing(100, "GET /api/v1/conversations/"+conversation+"/messages?include=sources,usage HTTP/1.1")
	o.readsNothing(100, "POST /api/v1/chat/stream HTTP/1.1")
	attacked := median(asks(p, ctx, baker.Token))
	o.all.Wait()

	t.Logf("an answer takes %v at rest and %v under attack, at the median; the attackers were answered %v; the server took at most %d MiB, and the group %d MiB",
		atRest, attacked, o.said, memory(p, "VmHWM")>>20, group.Peak(p)>>20)
	if kills := group.Kills(p); kills > 0 {
		t.Errorf("the kernel ended %d processes for want of memory", kills)
	}
	if most := memory(p, "VmHWM"); most > mostOfServer {
		t.Errorf("the server took %d MiB", most>>20)
	}
	if attacked > slowed*atRest {
		t.Errorf("an answer takes %v under attack and %v at rest", attacked, atRest)
	}
	if r := p.Call("GET", "/sign-in", ""); r.StatusCode != http.StatusOK {
		t.Errorf("the server answers %d afterwards", r.StatusCode)
	}
}

// longConversation makes a conversation of a few megabytes.
func longConversation(p *harness.Process, token string) string {
	p.Helper()
	question := strings.Repeat("😀", 16_000) // four bytes a character
	id := ""
	for range 60 {
		body := fmt.Sprintf(`{"message":%q}`, question)
		if id != "" {
			body = fmt.Sprintf(`{"message":%q,"conversation_id":%q}`, question, id)
		}
		r := p.Call("POST", harness.ChatPath, body, harness.Bearer(token))
		p.Expect(r, http.StatusOK)
		id = fmt.Sprintf("%.0f", r.Data["conversation_id"])
	}
	return id
}
