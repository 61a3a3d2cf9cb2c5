from operators.actions import agents, installs, tokens

# By their path.
ACTIONS = {
    "pause": agents.Pause,
    "resume": agents.Resume,
    "issue-token": tokens.IssueToken,
    "revoke-token": tokens.RevokeToken,
    "revoke-tokens": tokens.RevokeTokens,
    "remove-skill": installs.RemoveSkill,
    "remove-persona": installs.RemovePersona,
    "limits": agents.SetLimits,
    "new-claim-url": agents.RenewClaimUrl,
    "release": agents.Release,
}
