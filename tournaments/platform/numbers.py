"""Numbers in sentences for people."""

from django.utils.formats import number_format


def grouped(number: float) -> str:
    """A whole number with its thousands apart, as the language writes them: 12,345 in English."""
    return number_format(number, decimal_pos=0, use_l10n=True, force_grouping=True)
