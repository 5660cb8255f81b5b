# `regard serve` in a container; docs/howto/serve.md, "Deploy", says how it is built and run.
# A digest in place of the tag (--build-arg BASE=python@sha256:...) makes the base the same for good.
ARG BASE=python:3.13-slim-bookworm

FROM ${BASE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /source
RUN python -m venv /opt/regard
COPY constraints.txt ./
COPY pyproject.toml README.md LICENSE NOTICE THIRD-PARTY.md regard.cdx.json ./
COPY src src
RUN /opt/regard/bin/pip install --only-binary :all: --constraint constraints.txt .

FROM ${BASE}
RUN useradd --system --no-create-home --uid 10001 regard
COPY --from=build /opt/regard /opt/regard
ENV PATH=/opt/regard/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER 10001
EXPOSE 8766
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:8766/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
# All addresses of the container: it does not start without $REGARD_API_KEY.
ENTRYPOINT ["regard", "serve", "--host", "0.0.0.0"]
CMD ["en-de"]
