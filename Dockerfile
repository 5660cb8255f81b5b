# `regard serve` in a container; docs/howto/serve.md, "Deploy", says how it is built and run.
# A digest in place of the tag (--build-arg BASE=debian@sha256:...) makes the base the same for good.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_CONSTRAINT=/source/constraints.txt PIP_BUILD_CONSTRAINT=/source/constraints.txt
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY constraints.txt pyproject.toml README.md LICENSE NOTICE THIRD-PARTY.md regard.cdx.json ./
COPY tools/platform_wheel.py tools/
COPY src src
# The shipped models that stay: --build-arg MODELS="en-de emotions". What only downloads faster goes, and
# what is for a library's developers. A first start compiles the modules that a server imports.
ARG MODELS=en-de
# hadolint ignore=DL4006
RUN python3 -m venv --without-pip /opt/regard \
    && REGARD_PLATFORM="linux-$(uname -m | sed s/aarch64/arm64/)" \
        python3 -m pip --python /opt/regard/bin/python install --only-binary :all: --no-compile . \
    && python3 -m pip --python /opt/regard/bin/python uninstall --yes hf-xet \
    && for folder in /opt/regard/lib/python3*/site-packages/regard/shipped/*/; do \
        case " $MODELS " in *" $(basename "$folder") "*) ;; *) rm -r "$folder" ;; esac; \
    done \
    && find /opt/regard \( -name tests -o -name distutils -o -name f2py -o -name '*.pyi' \) -prune \
        -exec rm -r {} + \
    && timeout --preserve-status 10 /opt/regard/bin/regard serve ${MODELS}

FROM ${BASE}
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --no-create-home --uid 10001 regard
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
