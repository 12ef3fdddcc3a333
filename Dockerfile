# devlog in a container, for the site in the current folder:
#
#   docker build --tag devlog https://github.com/example/devlog.git
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/site" devlog build
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/site" --publish 127.0.0.1:8000:8000 \
#     devlog serve --host 0.0.0.0 --allow-host localhost
FROM python:3.13-slim AS build
WORKDIR /src
COPY . .
RUN python -m venv /opt/devlog && /opt/devlog/bin/pip install --no-cache-dir .

FROM python:3.13-slim
# git gives posts without a date the date of their first commit. Any version does, and security updates are welcome.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home devlog \
    && mkdir /site \
    && chown devlog:devlog /site
COPY --from=build /opt/devlog /opt/devlog
ENV PATH="/opt/devlog/bin:$PATH" PYTHONUNBUFFERED=1
USER 10001
WORKDIR /site
EXPOSE 8000
ENTRYPOINT ["devlog"]
CMD ["--help"]
