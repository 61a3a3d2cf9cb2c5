from installs.models import PersonaInstall, SkillInstall
from operators.actions import (
    agents,
    all_installs,
    copying,
    installing,
    installs,
    submissions,
    tokens,
)
from operators.forms import InstallPersonaForm

# By their path.
ACTIONS = {
    "pause": agents.Pause.as_view(),
    "resume": agents.Resume.as_view(),
    "issue-token": tokens.IssueToken.as_view(),
    "revoke-token": tokens.RevokeToken.as_view(),
    "revoke-tokens": tokens.RevokeTokens.as_view(),
    "install-skill": installing.InstallEntry.as_view(model=SkillInstall),
    "install-persona": installing.InstallEntry.as_view(
        model=PersonaInstall, form_class=InstallPersonaForm
    ),
    "copy-installs": copying.CopyInstalls.as_view(),
    "activate-persona": installs.Activate.as_view(model=PersonaInstall),
    **{
        f"{name}-{model.kind}": action.as_view(model=model)
        for name, action in installs.ACTIONS.items()
        for model in (SkillInstall, PersonaInstall)
    },
    "update-all": all_installs.UpdateAll.as_view(),
    "pin-all": all_installs.PinAll.as_view(),
    "unpin-all": all_installs.UnpinAll.as_view(),
    "withdraw-submission": submissions.WithdrawSubmission.as_view(),
    "limits": agents.SetLimits.as_view(),
    "new-claim-url": agents.RenewClaimUrl.as_view(),
    "release": agents.Release.as_view(),
    "delete": agents.Delete.as_view(),
}
