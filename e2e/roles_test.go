package e2e

import (
	"cmp"
	"net/http"
	"slices"
	"testing"

	"parley/app"
	"parley/core/tenant"
)

var byRank = []tenant.Role{tenant.RoleMember, tenant.RoleAdmin, tenant.RoleOwner}

func (r row) isFor(role tenant.Role) bool {
	return slices.Index(byRank, role) >= slices.Index(byRank, r.least)
}

func TestRoles(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		for role, name := range map[tenant.Role]string{tenant.RoleMember: "quillon", tenant.RoleAdmin: "vexley"} {
			e := w.newFullWorkspace(name)
			user := w.employ(e, role)
			before := w.all(e)
			for _, r := range rows {
				if r.least == "" || r.isFor(role) {
					continue
				}
				t.Run("no "+string(role)+" at "+r.name(), func(t *testing.T) {
					w := w.within(t)
					answer := w.try(r, e.ids, w.session(user))
					w.expect(answer, http.StatusForbidden)
					if answer.Header.Get("Content-Type") == "application/json" && answer.Error != 2 {
						t.Errorf("the code is %d", answer.Error)
					}
				})
			}
			t.Run("what the "+string(role)+" may not do was not done", func(t *testing.T) {
				if w.within(t).all(e) != before {
					t.Error("something is different now")
				}
			})
			for _, r := range rows {
				if r.least != "" && r.isFor(role) {
					t.Run("any "+string(role)+" at "+r.name(), func(t *testing.T) {
						w := w.within(t)
						w.expect(w.try(r, e.ids, w.session(user)), cmp.Or(r.gets.colleague, r.gets.own))
					})
				}
			}
		}
		t.Run("every route below a workspace or chatbot says who may call it", func(t *testing.T) {
			for _, r := range rows {
				if (r.least == "") != (r.isPublic() || r.takesTokens()) {
					t.Errorf("%s has the least role %q", r.name(), r.least)
				}
			}
		})
	})
}

func TestOwners(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		e := w.newFullWorkspace("quillon")
		admin := w.employ(e, tenant.RoleAdmin)
		boss := w.signedIn(e.email, e.password)
		second := w.signedIn("admin@quillon.example", staffPassword)
		members := "/workspaces/" + e.workspace + "/members"

		t.Run("an admin cannot make an owner", func(t *testing.T) {
			v := second.in(t)
			v.expect(v.post(members+"/"+e.ids["user"]+"/role", pairs{"role", "owner"}), http.StatusForbidden)
			v.expect(v.post(members+"/"+admin+"/role", pairs{"role", "owner"}), http.StatusForbidden)
			v.expect(v.post("/workspaces/"+e.workspace+"/invitations", pairs{"email", "x@example.com", "role", "owner"}), http.StatusForbidden)
		})
		t.Run("an admin cannot change or remove an owner", func(t *testing.T) {
			v := second.in(t)
			w.employ(e, tenant.RoleOwner) // so that the first is not the last one
			v.expect(v.post(members+"/"+e.owner+"/role", pairs{"role", "member"}), http.StatusForbidden)
			v.expect(v.post(members+"/"+e.owner+"/remove", nil), http.StatusForbidden)
		})
		t.Run("an owner can leave while there is another, and sees nothing from then on", func(t *testing.T) {
			v := w.within(t).signedIn("owner@quillon.example", staffPassword)
			v.expect(v.get(members), http.StatusOK)
			user, err := w.server.Program.Tenants.Users.ByEmail(t.Context(), "owner@quillon.example")
			v.must(err)
			v.goesTo(v.post(members+"/"+user.ID+"/remove", nil), "/")
			v.expect(v.get(members), http.StatusNotFound)
			v.expect(v.get("/"), http.StatusOK)
		})
		t.Run("the last owner can neither leave nor step down", func(t *testing.T) {
			v := boss.in(t)
			v.expect(v.post(members+"/"+e.owner+"/remove", nil), http.StatusConflict)
			v.expect(v.post(members+"/"+e.owner+"/role", pairs{"role", "admin"}), http.StatusConflict)
			v.expect(v.post("/workspaces/"+e.workspace+"/leave", pairs{"leave", "yes"}), http.StatusConflict)
			v.expect(v.post("/account/privacy/delete", pairs{"password", e.password}), http.StatusConflict)
		})
		t.Run("a role that does not exist is refused", func(t *testing.T) {
			v := boss.in(t)
			v.expect(v.post(members+"/"+admin+"/role", pairs{"role", "god"}), http.StatusUnprocessableEntity)
		})
		t.Run("a new role counts on the next request", func(t *testing.T) {
			v, s := boss.in(t), second.in(t)
			tokens := "/api/chatbots/" + e.chatbot + "/api-tokens"
			s.expect(s.ask("POST", tokens, `{}`), http.StatusOK)
			v.expect(v.post(members+"/"+admin+"/role", pairs{"role", "member"}), http.StatusSeeOther)
			s.expect(s.ask("POST", tokens, `{}`), http.StatusForbidden)
		})
		t.Run("a removed member sees nothing on the next request", func(t *testing.T) {
			v, s := boss.in(t), second.in(t)
			v.expect(v.post(members+"/"+admin+"/remove", nil), http.StatusSeeOther)
			s.expect(s.get(members), http.StatusNotFound)
			s.expect(s.ask("GET", "/api/chatbots/"+e.chatbot+"/documents", ""), http.StatusNotFound)
		})
	})
}
