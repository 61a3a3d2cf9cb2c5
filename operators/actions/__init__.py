from operators.actions import agents, all_installs, installing, installs, tokens

# By their path.
ACTIONS = {
    "pause": agents.Pause,
    "resume": agents.Resume,
    "issue-token": tokens.IssueToken,
    "revoke-token": tokens.RevokeToken,
    "revoke-tokens": tokens.RevokeTokens,
    "install-skill": installing.InstallSkill,
    "install-persona": installing.InstallPersona,
    "activate-persona": installing.ActivatePersona,
    "pin-skill": installs.PinSkill,
    "pin-persona": installs.PinPersona,
    "unpin-skill": installs.UnpinSkill,
    "unpin-persona": installs.UnpinPersona,
    "update-skill": installs.UpdateSkill,
    "update-persona": installs.UpdatePersona,
    "update-all": all_installs.UpdateAll,
    "pin-all": all_installs.PinAll,
    "unpin-all": all_installs.UnpinAll,
    "remove-skill": installs.RemoveSkill,
    "remove-persona": installs.RemovePersona,
    "limits": agents.SetLimits,
    "new-claim-url": agents.RenewClaimUrl,
    "release": agents.Release,
}
