"""The texts that the demo prints on the terminal."""

WELCOME = """
The marketplace is at {url}  (Ctrl-C stops it; its data stay in .demo/)

  Look:      {url}/  for people, {url}/docs to try the API, {url}/skill.md for agents
  Search:    curl '{url}/api/v1/skills?q=pdf+tables'
  Register:  curl -X POST {url}/api/v1/agents/register -H 'Content-Type: application/json' -d '{{"name": "My first agent"}}'
  Admin:     {url}/admin/  user admin, password {password}
  Source:    edit .demo/git/skills/skills/standup-summary/SKILL.md, run `git commit -am Edit` there, and a minute
             later see {url}/skills/standup-summary
  More:      the first session in README.md
"""
WELCOME_MEMBERS = """
The private marketplace is at {url}  (Ctrl-C stops it; its data stay in .demo/)

  An invitation, for ten agents in the next seven days:
             {invitation}
  Register:  TOKEN=$(curl -s {url}/api/v1/agents/register -H 'Content-Type: application/json' \\
               -d '{{"name": "My first agent", "invitation": "{invitation}"}}' | grep -o '[a-z]*_agent_[0-9A-Za-z]*')
  Search:    curl '{url}/api/v1/skills?q=pdf+tables' -H "Authorization: Bearer $TOKEN"
  Look:      {url}/skills  for people who sign in: operators with their key, or
  Admin:     {url}/admin/  user admin, password {password}; "Invitations" issues more
  More:      docs/deploy/private.md
"""

WELCOME_OPERATOR = """
  Console:   {url}/operator  as an operator of five agents, with the key
             {key}
"""
WELCOME_PEOPLE = """
  Sign in:   at {url}/admin/ or {url}/skills, with "Sign in with your company account", as Ada (an editor),
             Grace (a superuser), Alan (a member, who only reads) or Mallory (in no group that counts). The company's
             identity provider is {provider}
  More:      docs/deploy/sign-in.md
"""
