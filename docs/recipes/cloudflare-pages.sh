#!/usr/bin/env bash
# Cloudflare Pages: publishes the production branch, and a preview of every other one. Save this file as cloudflare-pages.sh.
#
# Under Settings → Build: build command “bash cloudflare-pages.sh”, output directory “public”, and the variable
# PYTHON_VERSION, 3.13. If the production branch is not “main”, set the variable PRODUCTION_BRANCH, too.
# Cloudflare keeps no folder of yours between builds, so each one starts afresh. Scheduled posts appear with the next build:
# call a deploy hook once a day (Settings → Build → Deploy hooks).
set -euo pipefail

# Cloudflare fetches the last commit alone. Posts without a date have that of their first one.
if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
  git fetch --quiet --unshallow
fi

# A cache or a site that somebody has committed is never used.
rm -rf .devlog public

python -m pip install --quiet -r requirements.txt
devlog check

# CF_PAGES_URL is the URL of this one deployment. Set that of the site, base_url, in devlog.toml.
if [ "$CF_PAGES_BRANCH" = "${PRODUCTION_BRANCH:-main}" ]; then
  devlog build --output public
else
  devlog build --output public --base-url "$CF_PAGES_URL"
fi
