"""Lucide's icons, each drawn once per process: its own tag copies and writes the XML each time, in 0.1 ms."""

from functools import cache

from django import template
from lucide.templatetags.lucide import lucide

register = template.Library()
register.simple_tag(cache(lucide), name="lucide")
