from marketplace.adminsite.actions import confirmed_action, offered_to


def revoking(description, *, then, **context):
    """The action that revokes tokens, keys or invitations; `then` says what that means."""

    @confirmed_action(description, permissions=["act"], danger=True, **context)
    @offered_to(lambda row: row.revoked_at is None)
    def revoke(self, request, queryset):
        self.change_each(
            request, queryset, "Revoked.", lambda row: row.revoke("Revoked by staff"), then=then
        )

    return revoke
