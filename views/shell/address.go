package shell

// WorkspaceURL is the page of a workspace.
func WorkspaceURL(workspaceID string) string { return "/workspaces/" + workspaceID }

// MembersURL is the page of a workspace's members.
func MembersURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/members" }

// PlanURL is the page of a workspace's plan.
func PlanURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/plan" }

// LimitsURL is the page of what is over the limits of a workspace's plan.
func LimitsURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/limits" }

// ModelsURL is the page of a workspace's providers of models.
func ModelsURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/models" }

// ProviderURL is the page of one provider.
func ProviderURL(workspaceID, providerID string) string {
	return ModelsURL(workspaceID) + "/" + providerID
}

// UsageURL is the page of what a workspace's answers cost in a month.
func UsageURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/usage" }

// SettingsURL is the page of a workspace's settings.
func SettingsURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/settings" }

// ChatbotURL is the page of a chatbot's settings.
func ChatbotURL(chatbotID string) string { return "/chatbots/" + chatbotID }

// KnowledgeURL is the page of a chatbot's documents.
func KnowledgeURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/knowledge" }

// RemovedURL is the page of what a chatbot knew once.
func RemovedURL(chatbotID string) string { return KnowledgeURL(chatbotID) + "/removed" }

// EvaluateURL is the page that tries questions on a chatbot's knowledge.
func EvaluateURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/evaluate" }

// TokensURL is the page of a chatbot's API tokens.
func TokensURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/tokens" }

// link is an entry of a navigation.
type link struct {
	Section   Section
	Text, URL string
}

func (l Layout) workspaceLinks() []link {
	id := l.Workspace.ID
	return []link{
		{ChatbotsSection, "Chatbots", WorkspaceURL(id)},
		{ModelsSection, "Models", ModelsURL(id)},
		{UsageSection, "Usage", UsageURL(id)},
		{MembersSection, "Members", MembersURL(id)},
		{PlanSection, "Plan", PlanURL(id)},
		{WorkspaceSection, "Workspace", SettingsURL(id)},
	}
}

func (l Layout) chatbotLinks() []link {
	id := l.Chatbot.ID
	return []link{
		{SettingsSection, "Settings", ChatbotURL(id)},
		{KnowledgeSection, "Knowledge", KnowledgeURL(id)},
		{EvaluateSection, "Evaluate", EvaluateURL(id)},
		{TokensSection, "API tokens", TokensURL(id)},
	}
}

// current says whether a link leads to where the person is.
func (l Layout) current(to link) bool {
	return to.Section == l.Section || to.Section == ChatbotsSection && l.Chatbot.ID != ""
}
