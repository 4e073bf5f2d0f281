{{/* Values that several templates of the staging server use. */}}

{{- define "firesteel.stagingServer.account" -}}
{{- $own := include "firesteel.name" (dict "root" . "component" "staging-server") -}}
{{- default $own .Values.stagingServer.serviceAccount.name -}}
{{- end }}

{{- define "firesteel.stagingServer.tlsSecret" -}}
{{- $own := include "firesteel.name" (dict "root" . "component" "staging-server-tls") -}}
{{- default $own .Values.stagingServer.tls.secretName -}}
{{- end }}

{{- define "firesteel.stagingServer.host" -}}
{{- printf "%s.%s.svc" (include "firesteel.name" (dict "root" . "component" "staging-server")) .Release.Namespace -}}
{{- end }}

{{- define "firesteel.stagingServer.url" -}}
{{- $scheme := ternary "http" "https" (eq .Values.stagingServer.tls.source "none") -}}
{{- $own := printf "%s://%s:%v" $scheme (include "firesteel.stagingServer.host" .) .Values.stagingServer.service.port -}}
{{- default $own .Values.stagingServer.internalUrl -}}
{{- end }}

{{- /* `true` if the server uses the Kubernetes API, else empty. */}}
{{- define "firesteel.stagingServer.usesApi" -}}
{{- with .Values.stagingServer -}}
{{- if or (eq .auth "kubernetes") (eq .owners "kubernetes") (gt (int .replicas) 1) -}}true{{- end -}}
{{- end -}}
{{- end }}

{{- /* The server's options, one per line. */}}
{{- define "firesteel.stagingServer.options" -}}
{{- $lease := include "firesteel.name" (dict "root" . "component" "staging-cleaner") -}}
{{- $url := include "firesteel.stagingServer.url" . -}}
{{- with .Values.stagingServer -}}
--port=10000
--host=0.0.0.0
--auth={{ .auth }}
--owners={{ .owners }}
--internal-url={{ $url }}
--drain={{ .drainSeconds }}s
{{- if eq .store.type "pvc" }}
--store=/var/lib/firesteel-staging
{{- else }}
--store={{ .store.s3.location }}
{{- with .store.s3.endpoint }}
--s3-endpoint={{ . }}
{{- end }}
{{- with .store.s3.region }}
--s3-region={{ . }}
{{- end }}
{{- if not (kindIs "invalid" .store.s3.pathStyle) }}
--s3-path-style={{ .store.s3.pathStyle }}
{{- end }}
{{- if .store.s3.caSecret }}
--s3-ca=/etc/firesteel/s3-ca/ca.crt
{{- end }}
{{- end }}
{{- if gt (int .replicas) 1 }}
--lease-object={{ $lease }}
{{- end }}
{{- if .keysSecret }}
--keys=/etc/firesteel/keys
{{- end }}
{{- if ne .tls.source "none" }}
--tls-key=/etc/firesteel/tls/tls.key
--tls-cert=/etc/firesteel/tls/tls.crt
{{- if .tls.clientCaSecret }}
--tls-client-auth=true
--tls-client-ca=/etc/firesteel/client-ca/ca.crt
{{- end }}
{{- end }}
{{- range $option, $text := .options }}
--{{ $option }}={{ $text }}
{{- end }}
{{- end -}}
{{- end }}

{{- /* The server's volumes that are Secrets: `NAME SECRET`, one per line. */}}
{{- define "firesteel.stagingServer.secrets" -}}
{{- if ne .Values.stagingServer.tls.source "none" }}
tls {{ include "firesteel.stagingServer.tlsSecret" . }}
{{- end }}
{{- with .Values.stagingServer.tls.clientCaSecret }}
client-ca {{ . }}
{{- end }}
{{- with .Values.stagingServer.keysSecret }}
keys {{ . }}
{{- end }}
{{- with .Values.stagingServer.store.s3.caSecret }}
s3-ca {{ . }}
{{- end }}
{{- end }}
