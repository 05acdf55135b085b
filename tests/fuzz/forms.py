"""Hypothesis strategies for requests with malformed bodies, which shrink failing requests."""

from hypothesis import strategies as st

from tests.fuzz.bodies import FORM, JSON, MULTIPART, PARAMETERS, PATHS, Sent

# Header lines without control characters: the server itself refuses those.
_words = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=20)
_parameters = st.one_of(
    st.sampled_from(PARAMETERS),
    st.builds("{}={}".format, st.sampled_from(("charset", "charset*", "boundary", "boundary*", "x")), _words), _words)
content_types = st.builds(
    lambda kind, parameters: "; ".join([kind, *parameters]),
    st.sampled_from((FORM, MULTIPART, JSON, "multipart/form-data", "")) | _words, st.lists(_parameters, max_size=3))

_names = st.sampled_from((b"archive", b"name", b"login", b"csrfmiddlewaretoken")) | st.binary(max_size=12)
_parts = st.builds(
    lambda name, more, header, content: (
        b'--xx\r\nContent-Disposition: form-data; name="' + name + b'"' + more + b"\r\n" + header + b"\r\n" + content),
    _names,
    st.sampled_from((b"", b'; filename="a.zip"', b"; filename*=utf-8''%ff", b"; filename*=hex''a"))
    | st.binary(max_size=20),
    st.just(b"") | st.builds(lambda value: b"Content-Transfer-Encoding: " + value + b"\r\n", st.sampled_from(
        (b"base64", b"quoted-printable", b"x"))) | st.builds(lambda line: line + b"\r\n", st.binary(max_size=20)),
    st.binary(max_size=30))
multiparts = st.builds(lambda parts, end: b"\r\n".join([*parts, end]), st.lists(_parts, max_size=4),
                       st.sampled_from((b"--xx--\r\n", b"--xx", b"")))
forms = st.builds(
    lambda pairs: b"&".join(name + b"=" + value for name, value in pairs),
    st.lists(st.tuples(_names, st.sampled_from((b"%00", b"%zz", b"%", b"%ff")) | st.binary(max_size=12)), max_size=5))
_json = st.sampled_from((b'{"name": "\\u0000"}', b'{"name": "\\ud800"}', b"[" * 3000, b"NaN", b'{"name": 1e999}')) | (
    st.binary(max_size=30))

requests = st.builds(Sent, st.sampled_from(PATHS), content_types, multiparts | forms | _json)
