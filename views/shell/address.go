package shell

import (
	"net/url"
	"slices"

	"parley/views/ui"
)

// ReferenceURL is the reference of the API, and DescriptionURL what it is made from.
const (
	ReferenceURL   = "/docs/api"
	DescriptionURL = "/api/v1/openapi.yaml"
)

// WorkspaceURL is the page of a workspace.
func WorkspaceURL(workspaceID string) string { return "/workspaces/" + workspaceID }

// DeletionURL is the page of a workspace that is being deleted.
func DeletionURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/deletion" }

// PrivacyURL is the page of a workspace's stored data, its copies and erasures.
func PrivacyURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/privacy" }

// MembersURL is the page of a workspace's members.
func MembersURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/members" }

// LimitsURL is the page of what exceeds the limits of a workspace's plan.
func LimitsURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/limits" }

// ModelsURL is the page of a workspace's providers of models.
func ModelsURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/models" }

// ProviderURL is the page of one provider.
func ProviderURL(workspaceID, providerID string) string {
	return ModelsURL(workspaceID) + "/" + providerID
}

// BillingURL is the page of usage, plan and payments.
func BillingURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/billing" }

// PlanChangeURL shows what a change to a plan does before it happens. next is where
// the change ends, empty for the page of the plans.
func PlanChangeURL(workspaceID, plan, next string) string {
	u := BillingURL(workspaceID) + "/change?plan=" + url.QueryEscape(plan)
	if next != "" {
		u += "&next=" + url.QueryEscape(next)
	}
	return u
}

// InvoicesURL is the page of a workspace's invoices.
func InvoicesURL(workspaceID string) string { return BillingURL(workspaceID) + "/invoices" }

// WebhooksURL is the address of a workspace's webhooks.
func WebhooksURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/webhooks" }

// WebhookURL is the address of one webhook.
func WebhookURL(workspaceID, webhookID string) string {
	return WebhooksURL(workspaceID) + "/" + webhookID
}

// SSOURL is the page of a workspace's single sign-on.
func SSOURL(workspaceID string) string { return SettingsURL(workspaceID) + "/sso" }

// AuditURL is the page of a workspace's audit log.
func AuditURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/audit" }

// AuditEntryURL is the page of an entry of the audit log.
func AuditEntryURL(workspaceID, entryID string) string { return AuditURL(workspaceID) + "/" + entryID }

// FindURL returns the address that answers the palette with what a workspace has, as JSON.
// If a chatbot is given, its own things come first.
func FindURL(workspaceID, chatbotID string) string {
	find := "/api" + WorkspaceURL(workspaceID) + "/find"
	if chatbotID != "" {
		find += "?chatbot=" + url.QueryEscape(chatbotID)
	}
	return find
}

// SettingsURL is the page of a workspace's settings.
func SettingsURL(workspaceID string) string { return WorkspaceURL(workspaceID) + "/settings" }

// ChatbotSettingsURL is the page of a chatbot's settings.
func ChatbotSettingsURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/settings" }

// WelcomeURL is the page where a new chatbot gets its first knowledge.
func WelcomeURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/welcome" }

// PlaygroundURL is the page where people talk with a chatbot.
func PlaygroundURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/playground" }

// ConversationsURL is the page of a chatbot's conversations.
func ConversationsURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/conversations" }

// MessageURL leads to the conversation that has a message.
func MessageURL(chatbotID, message string) string {
	return ChatbotURL(chatbotID) + "/messages/" + message
}

// ImproveURL is the page of the questions that a chatbot did not answer well.
func ImproveURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/improve" }

// AnalyticsURL is the page of a chatbot's figures.
func AnalyticsURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/analytics" }

// DeployURL is the page that tells how a chatbot gets into a program.
func DeployURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/deploy" }

// ChatbotURL is a chatbot's overview.
func ChatbotURL(chatbotID string) string { return "/chatbots/" + chatbotID }

// KnowledgeURL is the page of a chatbot's documents.
func KnowledgeURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/knowledge" }

// AddressesURL is the page of the web addresses that documents come from.
func AddressesURL(chatbotID string) string { return KnowledgeURL(chatbotID) + "/addresses" }

// AddKnowledgeURL is the page of a way to add knowledge.
func AddKnowledgeURL(chatbotID, way string) string {
	return KnowledgeURL(chatbotID) + "/add?way=" + way
}

// DocumentURL is the page of a document.
func DocumentURL(chatbotID, documentID string) string {
	return KnowledgeURL(chatbotID) + "/" + documentID
}

// RemovedURL is the page of removed documents.
func RemovedURL(chatbotID string) string { return KnowledgeURL(chatbotID) + "/removed" }

// EvaluateURL is the page that tries questions on a chatbot's knowledge.
func EvaluateURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/evaluate" }

// TokensURL is the page of a chatbot's API tokens.
func TokensURL(chatbotID string) string { return ChatbotURL(chatbotID) + "/tokens" }

// link is an entry of the sidebar. Its key comes after "g".
type link struct {
	Section              Section
	Text, URL, Icon, Key string
}

func (l Layout) workspaceLinks() []link {
	id := l.Workspace.ID
	links := []link{
		{ChatbotsSection, "Chatbots", WorkspaceURL(id), "bot", "b"},
		{MembersSection, "Members", MembersURL(id), "users", "m"},
		{ModelsSection, "Models", ModelsURL(id), "cpu", "l"},
		{BillingSection, "Usage & billing", BillingURL(id), "credit-card", "u"},
		{WebhooksSection, "Webhooks", WebhooksURL(id), "zap", "h"},
		{AuditSection, "Audit", AuditURL(id), "scroll-text", "t"},
		{WorkspaceSection, "Settings", SettingsURL(id), "settings", "w"},
	}
	if !l.Audits {
		links = slices.DeleteFunc(links, func(to link) bool { return to.Section == AuditSection || to.Section == WebhooksSection })
	}
	return links
}

func (l Layout) chatbotLinks() []link {
	id := l.Chatbot.ID
	return []link{
		{OverviewSection, "Overview", ChatbotURL(id), "house", "o"},
		{PlaygroundSection, "Playground", PlaygroundURL(id), "message-circle", "p"},
		{KnowledgeSection, "Knowledge", KnowledgeURL(id), "book-open", "k"},
		{ConversationsSection, "Conversations", ConversationsURL(id), "messages-square", "c"},
		{ImproveSection, "Improve", ImproveURL(id), "lightbulb", "i"},
		{AnalyticsSection, "Analytics", AnalyticsURL(id), "chart-column", "a"},
		{DeploySection, "Deploy", DeployURL(id), "rocket", "d"},
		{SettingsSection, "Settings", ChatbotSettingsURL(id), "settings", "s"},
	}
}

// initial is the first letter of a name, for where there is no picture.
func initial(name string) string {
	for _, r := range name {
		return string(r)
	}
	return "?"
}

// home is where the page of a failure leads.
func (m Failure) home() string {
	if m.Layout.Chatbot.ID != "" {
		return ChatbotURL(m.Layout.Chatbot.ID)
	}
	if m.Layout.Workspace.ID != "" {
		return WorkspaceURL(m.Layout.Workspace.ID)
	}
	return "/"
}

func (m Failure) homeText() string {
	if m.Layout.Chatbot.ID != "" {
		return "Go to the overview"
	}
	if m.Layout.Workspace.ID != "" {
		return "Go to your chatbots"
	}
	return "Go to the start page"
}

// homeLook returns the look of the button that leads home, which is secondary if there is a
// nearer way.
func (m Failure) homeLook() ui.Look {
	if m.Again != "" || m.Back != "" {
		return ui.Secondary
	}
	return ui.Primary
}

// signInURL leads back to where the person was.
func (m Failure) signInURL() string {
	if m.Back == "" || m.Back == "/" {
		return "/sign-in"
	}
	return "/sign-in?next=" + url.QueryEscape(m.Back)
}

// ConfirmURL is the page on which people show again who they are, before they go on to
// another.
func ConfirmURL(next string) string { return "/confirm?next=" + url.QueryEscape(next) }
