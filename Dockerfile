# Parley as one static binary, in an image without a shell.

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /out/parley ./cmd/parley
# An empty directory to copy: the next image has no mkdir and no chown.
RUN mkdir -p /out/data

# It holds certificates, time zones and the user nonroot (65532), and no more.
FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/parley /usr/local/bin/parley
COPY --from=build --chown=65532:65532 /out/data /data
COPY LICENSE /usr/share/doc/parley/LICENSE
ENV LISTEN_ADDR=0.0.0.0:8080 \
    DATA_DIR=/data
USER 65532:65532
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/parley"]
CMD ["serve"]
