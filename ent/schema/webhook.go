package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// WebhookEndpoint is an address that a workspace's events are sent to.
type WebhookEndpoint struct{ ent.Schema }

// Mixin of the WebhookEndpoint.
func (WebhookEndpoint) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the WebhookEndpoint.
func (WebhookEndpoint) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		// chatbot_id is the one chatbot whose events are sent, or empty for all.
		field.String("chatbot_id").MaxLen(idLen).Default(""),
		longText("url"),
		field.JSON("events", []string{}),
		field.String("description").MaxLen(200 * utf8Max).Default(""),
		// The secrets are encrypted: see seal.Sealer. Messages are signed with
		// the previous one, too, until previous_until.
		field.Bytes("sealed_secret").Sensitive(),
		field.Bytes("sealed_previous").Optional().Sensitive(),
		field.Time("previous_until").Optional().Nillable(),
		// state is "active", "paused" by an owner, or "disabled" by Parley.
		field.String("state").MaxLen(20).Default("active"),
		longText("reason"),
		field.String("created_by").MaxLen(320).Immutable(),
		field.Time("updated_at"),
		created(),
	}
}

// Edges of the WebhookEndpoint.
func (WebhookEndpoint) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("workspace", Workspace.Type, "webhook_endpoints_workspaces_webhook_endpoints"),
	}
}

// Indexes of the WebhookEndpoint.
func (WebhookEndpoint) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workspace_id", "created_at")}
}

// WebhookMessage is an event as it is sent.
type WebhookMessage struct{ ent.Schema }

// Mixin of the WebhookMessage.
func (WebhookMessage) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the WebhookMessage.
func (WebhookMessage) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("chatbot_id").MaxLen(idLen).Default("").Immutable(),
		field.String("kind").MaxLen(40).Immutable(),
		// payload is the JSON that is sent and signed, byte for byte.
		longText("payload"),
		created(),
	}
}

// Edges of the WebhookMessage.
func (WebhookMessage) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("workspace", Workspace.Type, "webhook_messages_workspaces_webhook_messages"),
	}
}

// Indexes of the WebhookMessage.
func (WebhookMessage) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("workspace_id"),
		// for deleting old ones
		index.Fields("created_at"),
	}
}

// WebhookDelivery is a message on its way to one endpoint.
type WebhookDelivery struct{ ent.Schema }

// Mixin of the WebhookDelivery.
func (WebhookDelivery) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the WebhookDelivery.
func (WebhookDelivery) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.String("endpoint_id").MaxLen(idLen).Immutable(),
		field.String("message_id").MaxLen(idLen).Immutable(),
		// state is "pending", "delivered", "failed" or "canceled".
		field.String("state").MaxLen(20).Default("pending"),
		field.Int("attempts").Default(0),
		// attempt_log is JSON: each attempt with its time, duration, status and the
		// beginning of what was answered.
		longText("attempt_log"),
		// due_at is when it is sent next, and a worker's lease while it is sent.
		field.Time("due_at").Optional().Nillable(),
		field.Time("ended_at").Optional().Nillable(),
		created(),
	}
}

// Edges of the WebhookDelivery.
func (WebhookDelivery) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("endpoint", WebhookEndpoint.Type, "webhook_deliveries_webhook_endpoints_deliveries"),
		belongsTo("message", WebhookMessage.Type, "webhook_deliveries_webhook_messages_deliveries"),
	}
}

// Indexes of the WebhookDelivery.
func (WebhookDelivery) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("endpoint_id", "id"),
		index.Fields("message_id"),
		index.Fields("due_at").StorageKey("webhook_due").Annotations(entsql.IndexWhere("due_at IS NOT NULL")),
	}
}
