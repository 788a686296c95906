package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"

	"parley/app/config"
	"parley/core/answer"
	"parley/core/answer/extractive"
	"parley/core/chatbot"
	"parley/fetch"
	"parley/llm/anthropic"
	"parley/llm/models"
	"parley/llm/openai"
	"parley/llm/upstream"
	"parley/store/ports"
)

// newOwnModels returns the server's own models. The first one answers. The last one
// quotes passages and needs no server.
func newOwnModels(config *Config) ([]answer.Model, error) {
	var own []answer.Model
	if config.HasModel() {
		client := upstream.NewHTTPClient() // shared, because they are on one server
		for _, name := range []string{config.ModelName(), config.LLMFallback} {
			if name == "" {
				continue
			}
			model, err := openModel(accountOf(config, name, client))
			if err != nil {
				return nil, err
			}
			own = append(own, model)
		}
	}
	return append(own, extractive.New()), nil
}

// modelAccount is a model, with the address and key of its server.
type modelAccount struct {
	config  *Config
	kind    chatbot.ProviderKind
	address string
	key     string
	name    string
	tools   bool
	context int
	client  *http.Client
	// ofOperator says that it is the server's own.
	ofOperator bool
}

func accountOf(c *Config, name string, client *http.Client) modelAccount {
	account := modelAccount{
		config: c, kind: chatbot.ProviderKind(c.LLMProvider), address: c.LLMBaseURL, key: c.LLMAPIKey, name: name,
		context: c.LLMContext, client: client, ofOperator: true,
	}
	account.tools = c.OffersTools()
	return account
}

// openModel returns a model. It does not connect to the model's server.
func openModel(a modelAccount) (answer.Model, error) {
	if a.kind == chatbot.Anthropic {
		return anthropic.New(anthropic.Config{
			BaseURL: a.address, APIKey: a.key, Model: a.name, Tools: a.tools, Context: a.context,
			Timeout: a.config.LLMTimeout, FirstTokenTimeout: a.config.LLMFirst, HTTPClient: a.client, OfOperator: a.ofOperator,
		})
	}
	if a.address == "" {
		a.address = config.DefaultLLM
	}
	return openai.New(openai.Config{
		BaseURL: a.address, APIKey: a.key, Model: a.name, Tools: a.tools, Context: a.context,
		Timeout: a.config.LLMTimeout, FirstTokenTimeout: a.config.LLMFirst, HTTPClient: a.client, OfOperator: a.ofOperator,
	})
}

// opener makes a model of a workspace's provider.
type opener func(provider chatbot.OpenedProvider, name string) (answer.Model, error)

// newOpener returns the opener for all workspaces. Their models are reached at
// public addresses, and at those that PROVIDER_ALLOW lists.
func newOpener(config *Config, refused func(context.Context, string)) (opener, error) {
	allowed, err := config.ProviderTargets()
	if err != nil {
		return nil, err
	}
	client := fetch.NewClient(fetch.Config{Allow: allowed, Refused: refused})
	return func(provider chatbot.OpenedProvider, name string) (answer.Model, error) {
		return openModel(modelAccount{
			config: config, kind: provider.Kind, address: provider.BaseURL, key: string(provider.Key), name: name,
			tools: provider.Tools, client: client,
		})
	}, nil
}

// names asks a provider which models it has.
func (open opener) names(ctx context.Context, provider chatbot.OpenedProvider) ([]string, error) {
	model, err := open(provider, "any")
	if err != nil {
		return nil, err
	}
	return model.(interface {
		Names(ctx context.Context) ([]string, error)
	}).Names(ctx)
}

// newModels returns the models of all chatbots.
func (p *Program) newModels(own []answer.Model, openProvided opener, wrap func(answer.Model) answer.Model) (*models.Models, error) {
	open := func(provider chatbot.OpenedProvider, name string) (answer.Model, error) {
		model, err := openProvided(provider, name)
		if err != nil {
			return nil, err
		}
		if wrap != nil {
			model = wrap(model)
		}
		return p.recorded(countedModel{model, p.workspacesCalls, nil}, string(provider.Kind)), nil
	}
	return models.New(models.Config{
		Own: p.ownRecorded(p.countedModels(wrapped(own, wrap))), Fallback: p.Config.LLMFallback, Providers: p.Chatbots.Providers, Open: open, Log: p.Log, Now: p.now,
	})
}

// ownRecorded has the calls of the server's own models recorded, if traces are sent.
func (p *Program) ownRecorded(own []answer.Model) []answer.Model {
	all := make([]answer.Model, len(own))
	for i, model := range own {
		all[i] = p.recorded(model, cmp.Or(p.Config.LLMProvider, string(chatbot.OpenAI)))
	}
	return all
}

// wrapped wraps each model if there is a wrapper.
func wrapped(all []answer.Model, wrap func(answer.Model) answer.Model) []answer.Model {
	if wrap == nil {
		return all
	}
	out := make([]answer.Model, len(all))
	for i, model := range all {
		out[i] = wrap(model)
	}
	return out
}

// chatbotOptions are the operator's settings about models and keys.
func chatbotOptions(config *Config, own []answer.Model, sqlite bool) chatbot.Options {
	names := make([]string, len(own))
	for i, model := range own {
		names[i] = model.Name()
	}
	return chatbot.Options{
		Sealer:    newSealer(config, sqlite),
		OwnModels: names,
		PlainHTTP: len(config.ProviderAllow) > 0,
	}
}

// openChatbots connects chatbots and their conversations to models.
func (p *Program) openChatbots(wrap func(answer.Model) answer.Model) error {
	own, err := newOwnModels(p.Config)
	if err != nil {
		return err
	}
	open, err := newOpener(p.Config, p.reportTarget)
	if err != nil {
		return err
	}
	options := chatbotOptions(p.Config, own, p.Store.IsSQLite())
	options.ModelNames = open.names
	options.Letters, options.Subscriber = p.Tenants.Letters, p.events()
	p.Chatbots = chatbot.New(ports.ForChatbot(p.Store, accesses.callers), p.Knowledge.Removals, p.Tenants.Holdings, p.now, rand.Reader, options)
	choices, err := p.newModels(own, open, wrap)
	if err != nil {
		return err
	}
	p.openChat(choices)
	p.openInsight()
	return nil
}
