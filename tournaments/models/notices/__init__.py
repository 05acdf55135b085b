"""Notices: webhooks with their deliveries and the audit log, and what users follow."""
