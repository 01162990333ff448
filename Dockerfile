# Production dependencies only; the sources run as they are, so nothing is built.
FROM node:26-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:26-slim
ENV NODE_ENV=production TZ=UTC MALLOC_ARENA_MAX=1 \
    DAYFERRY_CONFIG=/config/config.json DAYFERRY_DATA_DIR=/data DAYFERRY_HOST=0.0.0.0 DAYFERRY_PORT=8380
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY migrations ./migrations
COPY src ./src
# The cache holds what the first run compiles, for the account that has run it.
RUN chmod +x src/dayferry.ts && ln -s /app/src/dayferry.ts /usr/local/bin/dayferry \
    && mkdir -p /data node_modules/.cache && chown node:node /data node_modules/.cache
USER node
RUN dayferry --version
VOLUME /data
EXPOSE 8380
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.DAYFERRY_PORT ?? 8380}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["dayferry"]
CMD ["serve"]
