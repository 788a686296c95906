package pages

import (
	"cmp"
	"net/http"
	"testing"

	"parley/app"
	"parley/core/tenant"
	"parley/e2e/harness"
)

func TestRoles(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		for role, name := range map[tenant.Role]string{tenant.RoleMember: "quillon", tenant.RoleAdmin: "vexley"} {
			e := w.NewFullWorkspace(name)
			user := w.Employ(e, role)
			before := w.SeenByOwner(e)
			for _, r := range harness.Routes {
				if r.Least == "" || r.IsFor(role) {
					continue
				}
				t.Run("no "+string(role)+" at "+r.Name(), func(t *testing.T) {
					w := w.Within(t)
					answer := w.Try(r, e.IDs, w.Session(user))
					w.Expect(answer, http.StatusForbidden)
					if answer.Header.Get("Content-Type") == "application/json" && answer.Error != 2 {
						t.Errorf("the code is %d", answer.Error)
					}
				})
			}
			t.Run("what the "+string(role)+" may not do was not done", func(t *testing.T) {
				if w.Within(t).SeenByOwner(e) != before {
					t.Error("something is different now")
				}
			})
			for _, r := range harness.Routes {
				if r.Least != "" && r.IsFor(role) {
					t.Run("any "+string(role)+" at "+r.Name(), func(t *testing.T) {
						w := w.Within(t)
						w.Expect(w.Try(r, e.IDs, w.Session(user)), cmp.Or(r.Gets.Colleague, r.Gets.Own))
					})
				}
			}
		}
		t.Run("every route below a workspace or chatbot says who may call it", func(t *testing.T) {
			for _, r := range harness.Routes {
				if (r.Least == "") != (r.IsPublic() || r.TakesTokens()) {
					t.Errorf("%s has the least role %q", r.Name(), r.Least)
				}
			}
		})
	})
}

func TestOwners(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		e := w.NewFullWorkspace("quillon")
		admin := w.Employ(e, tenant.RoleAdmin)
		boss := w.SignedIn(e.Email, e.Password)
		second := w.SignedIn("admin@quillon.example", harness.StaffPassword)
		members := "/workspaces/" + e.Workspace + "/members"

		t.Run("an admin cannot make an owner", func(t *testing.T) {
			v := second.In(t)
			v.Expect(v.Post(members+"/"+e.IDs["user"]+"/role", harness.Pairs{"role", "owner"}), http.StatusForbidden)
			v.Expect(v.Post(members+"/"+admin+"/role", harness.Pairs{"role", "owner"}), http.StatusForbidden)
			v.Expect(v.Post("/workspaces/"+e.Workspace+"/invitations", harness.Pairs{"email", "x@example.com", "role", "owner"}), http.StatusForbidden)
		})
		t.Run("an admin cannot change or remove an owner", func(t *testing.T) {
			v := second.In(t)
			w.Employ(e, tenant.RoleOwner) // so that the first is not the last one
			v.Expect(v.Post(members+"/"+e.Owner+"/role", harness.Pairs{"role", "member"}), http.StatusForbidden)
			v.Expect(v.Post(members+"/"+e.Owner+"/remove", nil), http.StatusForbidden)
		})
		t.Run("an owner can leave while there is another, and sees nothing from then on", func(t *testing.T) {
			v := w.Within(t).SignedIn("owner@quillon.example", harness.StaffPassword)
			v.Expect(v.Get(members), http.StatusOK)
			user, err := w.Server.Program.Tenants.Users.ByEmail(t.Context(), "owner@quillon.example")
			v.Must(err)
			v.GoesTo(v.Post(members+"/"+user.ID+"/remove", nil), "/")
			v.Expect(v.Get(members), http.StatusNotFound)
			v.Expect(v.Get("/"), http.StatusOK)
		})
		t.Run("the last owner can neither leave nor step down", func(t *testing.T) {
			v := boss.In(t)
			v.Expect(v.Post(members+"/"+e.Owner+"/remove", nil), http.StatusConflict)
			v.Expect(v.Post(members+"/"+e.Owner+"/role", harness.Pairs{"role", "admin"}), http.StatusConflict)
			v.Expect(v.Post("/workspaces/"+e.Workspace+"/leave", harness.Pairs{"leave", "yes"}), http.StatusConflict)
			v.Expect(v.Post("/account/privacy/delete", harness.Pairs{"password", e.Password}), http.StatusConflict)
		})
		t.Run("a role that does not exist is refused", func(t *testing.T) {
			v := boss.In(t)
			v.Expect(v.Post(members+"/"+admin+"/role", harness.Pairs{"role", "god"}), http.StatusUnprocessableEntity)
		})
		t.Run("a new role counts on the next request", func(t *testing.T) {
			v, s := boss.In(t), second.In(t)
			tokens := "/api/chatbots/" + e.Chatbot + "/api-tokens"
			s.Expect(s.Ask("POST", tokens, `{}`), http.StatusOK)
			v.Expect(v.Post(members+"/"+admin+"/role", harness.Pairs{"role", "member"}), http.StatusSeeOther)
			s.Expect(s.Ask("POST", tokens, `{}`), http.StatusForbidden)
		})
		t.Run("a removed member sees nothing on the next request", func(t *testing.T) {
			v, s := boss.In(t), second.In(t)
			v.Expect(v.Post(members+"/"+admin+"/remove", nil), http.StatusSeeOther)
			s.Expect(s.Get(members), http.StatusNotFound)
			s.Expect(s.Ask("GET", "/api/chatbots/"+e.Chatbot+"/documents", ""), http.StatusNotFound)
		})
	})
}
