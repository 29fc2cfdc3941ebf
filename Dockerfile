# One image for web, worker and release: the command says which (see Procfile and docker-compose.yml).
# The newest long-term release of Node that .ci/run tests on.
FROM node:24-bookworm-slim AS base
WORKDIR /app
COPY package.json package-lock.json ./

FROM base AS build
# No package of the build or of the service needs its install script.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build

# A second, clean install instead of pruning the first: no tools, no compiler (an optional peer), no embedded Postgres.
FROM base AS dependencies
RUN npm ci --ignore-scripts --omit=dev --omit=optional

FROM base
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY migrations ./migrations
COPY assets ./assets
USER node
EXPOSE 3000
# Node itself is process 1 unless the container runs with an init (compose does): web and worker drain on SIGTERM.
STOPSIGNAL SIGTERM
CMD ["node", "dist/processes/web.js"]
