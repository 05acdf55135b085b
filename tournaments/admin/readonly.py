"""Facts are looked at in the admin, not edited."""

from django.contrib import admin
from django.http import HttpRequest


class ReadOnlyAdmin(admin.ModelAdmin):
    """Everything to see, nothing to add, change or delete."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class CreatedByVerbAdmin(ReadOnlyAdmin):
    """Added through a `VerbForm`, and then only looked at."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def save_model(self, request: HttpRequest, obj: object, form: object, change: bool) -> None:
        """The form's verb has written everything."""
