vcl 4.1;

# Varnish in front of Dayferry's feeds: shared copies of them, dropped by key as soon as they change. docs/scaling.md says how the
# two are set up. Needs varnish-modules (xkey) and `-p http_gzip_support=off`: Varnish then keeps each coding as Dayferry has made it,
# br as well, with the ETag that belongs to it.

import std;
import xkey;

# Dayferry's http.host and http.port.
backend dayferry {
  .host = "127.0.0.1";
  .port = "8380";
  .first_byte_timeout = 60s;
  .probe = {
    .url = "/healthz";
    .interval = 2s;
    .timeout = 5s;
    .window = 4;
    .threshold = 1;
  }
}

# Who may have copies dropped: Dayferry alone.
acl purgers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  # What clients claim of these is not believed.
  unset req.http.Forwarded;

  if (req.method == "PURGE") {
    if (!client.ip ~ purgers) {
      return (synth(405, "Not for you"));
    }
    if (!req.http.xkey) {
      return (synth(400, "Which key?"));
    }
    # purge(), not softpurge(): an address that was ended must not be served while a new copy is fetched.
    set req.http.dropped = xkey.purge(req.http.xkey);
    return (synth(200, "Dropped " + req.http.dropped));
  }

  # Everything but feeds goes past the cache: log-ins, pages, CalDAV, the API.
  if (req.url !~ "^/feeds/" || (req.method != "GET" && req.method != "HEAD") || req.http.Authorization) {
    return (pass);
  }
  unset req.http.Cookie;

  # The three forms that Dayferry has, so that there is one copy of each.
  if (req.http.Accept-Encoding ~ "gzip" && req.http.Accept-Encoding !~ "gzip\s*;\s*q=0(\.0*)?\s*(,|$)") {
    set req.http.Accept-Encoding = "gzip";
  } elsif (req.http.Accept-Encoding ~ "(^|[\s,])br([\s,;]|$)" && req.http.Accept-Encoding !~ "br\s*;\s*q=0(\.0*)?\s*(,|$)") {
    set req.http.Accept-Encoding = "br";
  } else {
    unset req.http.Accept-Encoding;
  }

  # While Dayferry is well, a copy is served beyond its age only as long as it said; while it is not, as long as there is one.
  if (std.healthy(req.backend_hint)) {
    set req.grace = 30s;
  }
  return (hash);
}

sub vcl_backend_response {
  if (bereq.uncacheable) {
    return (deliver);
  }
  # Dayferry's failures are not kept, and take the place of no copy.
  if (beresp.status >= 500) {
    if (bereq.is_bgfetch) {
      return (abandon);
    }
    set beresp.uncacheable = true;
    set beresp.ttl = 1s;
    return (deliver);
  }
  if (beresp.http.Cache-Control !~ "s-maxage") {
    set beresp.uncacheable = true;
    set beresp.ttl = 0s;
    return (deliver);
  }
  # An address that opens nothing has no copy that may outlive it.
  if (beresp.status != 200) {
    set beresp.grace = 0s;
    set beresp.keep = 0s;
    return (deliver);
  }
  # As stale-if-error says.
  set beresp.grace = std.duration(regsub(beresp.http.Cache-Control, "^.*stale-if-error=(\d+).*$", "\1s"), 1d);
  return (deliver);
}

sub vcl_deliver {
  # They are between Dayferry and its caches.
  unset resp.http.xkey;
  unset resp.http.Surrogate-Key;
  unset resp.http.Cache-Tag;
  # How old the copy is stays in Age.
  unset resp.http.X-Varnish;
  unset resp.http.Via;
}
