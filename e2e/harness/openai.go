package harness

// Where clients of OpenAI ask, and what.
const (
	CompletionsPath = "/api/v1/openai/chat/completions"
	ResponsesPath   = "/api/v1/openai/responses"
	OpenAIModels    = "/api/v1/openai/models"

	WhenOpenAI = `{"model":"chatbot","messages":[{"role":"user","content":"When does the bakery open?"}]}`
)
