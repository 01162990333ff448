# Dayferry's image. Everything that is made is made in the first stage, on the machine that builds; the image itself is the base with
# files laid over it, so that it is built for another processor without running anything of that one.

# Debian with Node 26 and npm. The digest is that of node:26.10.0-trixie-slim, for all processors; another base needs /usr/local/bin/node
# or the like in PATH, and nothing else for the image itself.
ARG BASE=docker.io/library/node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1
# What builds, where that is to be another one; of the machine's own processor, whichever the image is for.
ARG BUILD_BASE=${BASE}

FROM --platform=${BUILDPLATFORM} ${BUILD_BASE} AS build
ARG TARGETARCH
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY packages ./packages
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY bin ./bin
COPY scripts ./scripts
COPY web ./web
COPY src ./src
RUN node node_modules/vite/bin/vite.js build web && node scripts/bundle.ts

# What runs: the bundle holds every package but those that it loads when they are needed, and of the one with a library that is made
# for the processor only that library is used.
WORKDIR /image/app
COPY LICENSE THIRD-PARTY-LICENSES.txt sbom.cdx.json package.json ./
COPY migrations ./migrations
COPY man ./man
COPY web/style.css web/icon.svg web/icon-180.png web/icon-512.png ./web/
RUN node /app/scripts/runtime-packages.ts /app /image/app "${TARGETARCH}" \
    && cp -R /app/dist ./dist && chmod +x dist/daemon/dayferry.mjs \
    && mkdir -p /image/bin /image/data && ln -s /app/dist/daemon/dayferry.mjs /image/bin/dayferry
# Commands start sooner with what a first run compiles; that is kept by the account which has run it.
RUN rm -rf /app && cp -R /image/app /app && mkdir -p /app/node_modules/.cache && chown 1000:1000 /app/node_modules/.cache
USER 1000:1000
RUN node /app/dist/daemon/dayferry.mjs --version

FROM ${BASE}
ARG CREATED REVISION
LABEL org.opencontainers.image.title="Dayferry" \
      org.opencontainers.image.description="Calendars and a project workspace, kept the same" \
      org.opencontainers.image.version="1.0.0" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production TZ=UTC MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=131072 \
    DAYFERRY_CONFIG=/config/config.json DAYFERRY_DATA_DIR=/data DAYFERRY_HOST=0.0.0.0 DAYFERRY_PORT=8380
WORKDIR /app
COPY --from=build /image/app ./
COPY --from=build --chown=1000:1000 /app/node_modules/.cache ./node_modules/.cache
COPY --from=build --chown=1000:1000 /image/data /data
COPY --from=build /image/bin /usr/local/bin
# By number, so that Kubernetes sees that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8380
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.DAYFERRY_PORT ?? 8380}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["dayferry"]
CMD ["serve"]
