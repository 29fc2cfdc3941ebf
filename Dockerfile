# One image for web, worker and release: the command says which (see Procfile and docker-compose.yml).
# The newest long-term release of Node that .ci/full tests on. Tag and digest change together: the digest is what is pulled.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS base
WORKDIR /app
COPY package.json package-lock.json ./
# What the service needs at run time; the package above is the SDK, and needs nothing.
COPY src/package.json ./src/
COPY dev/package.json ./dev/

FROM base AS build
# No package of the build or of the service needs its install script.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json tsconfig.sdk.json build.mjs build-sdk.mjs ./
# What the pages of /docs are made of: the guides and their samples.
COPY docs/guides ./docs/guides
COPY docs/samples ./docs/samples
COPY docs/how-to/use-the-*.md ./docs/how-to/
COPY docs-site ./docs-site
COPY assets ./assets
COPY src ./src
RUN npm run build && npm run build:sdk

# A second, clean install instead of pruning the first: no tools, no compiler (an optional peer), no embedded Postgres.
FROM base AS dependencies
RUN npm ci --ignore-scripts --omit=dev --omit=optional

FROM base
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# What /docs offers for installation.
COPY --from=build /app/dist-sdk ./dist-sdk
COPY migrations ./migrations
COPY assets ./assets
# The user `node`, by number: Kubernetes' runAsNonRoot cannot look a name up. Nothing below /app is theirs to write.
USER 1000:1000
EXPOSE 3000
# Node itself is process 1 unless the container runs with an init (compose does): web and worker drain on SIGTERM.
STOPSIGNAL SIGTERM
CMD ["node", "dist/processes/web.js"]
