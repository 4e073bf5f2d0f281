{{/* Fails with all values of the gateway that contradict each other. */}}

{{- define "firesteel.gateway.check" -}}
{{- $all := include "firesteel.gateway.problems" . | trim | splitList "\n" | compact -}}
{{- if $all }}{{ fail (printf "\n- %s\n" (join "\n- " $all)) }}{{ end -}}
{{- end }}

{{- define "firesteel.gateway.problems" -}}
{{- $version := .Chart.AppVersion -}}
{{- $selected := fromYaml (include "firesteel.selector" (dict "root" . "component" "gateway")) -}}
{{- with .Values.gateway -}}
{{- if not .image }}
gateway.image is not set, and no public registry has this image. Build it with `firesteel image build firesteel-server --tag REGISTRY/firesteel-server:{{ $version }} --push`, then set gateway.image=REGISTRY/firesteel-server:{{ $version }}.
{{- end }}
{{- if and (eq .auth "htpasswd") (not .passwordSecret) }}
gateway.auth is htpasswd, but gateway.passwordSecret is not set. Create it with `kubectl create secret generic NAME --from-file=users`, or set gateway.auth to none if every client that reaches the gateway may do everything.
{{- end }}
{{- if and (ne .auth "htpasswd") .passwordSecret }}
gateway.passwordSecret is "{{ .passwordSecret }}", but gateway.auth is {{ .auth }}. Set gateway.auth to htpasswd, or remove the Secret.
{{- end }}
{{- if eq .auth "oidc" }}
{{- range $key, $what := dict "issuerUrl" "the URL of the issuer" "clientId" "the ID of the gateway at the issuer" }}
{{- if not (get $.Values.gateway.oidc $key) }}
gateway.auth is oidc, but gateway.oidc.{{ $key }} is not set. Set it to {{ $what }}.
{{- end }}
{{- end }}
{{- else }}
{{- range $key, $value := .oidc }}
{{- if $value }}
gateway.oidc.{{ $key }} is "{{ $value }}", but gateway.auth is {{ $.Values.gateway.auth }}. Set gateway.auth to oidc, or remove the value.
{{- end }}
{{- end }}
{{- end }}
{{- if .store.enabled }}
{{- if gt (int .replicas) 1 }}
gateway.replicas is {{ int .replicas }}, but gateway.store.enabled is true: one gateway uses the database. Set gateway.replicas to 1, or disable the store.
{{- end }}
{{- if and .store.existingClaim .store.storageClassName }}
gateway.store.storageClassName is {{ .store.storageClassName }}, but the existing claim "{{ .store.existingClaim }}" has its own. Remove gateway.store.storageClassName.
{{- end }}
{{- else }}
{{- range $key := list "existingClaim" "storageClassName" }}
{{- if get $.Values.gateway.store $key }}
gateway.store.{{ $key }} is {{ get $.Values.gateway.store $key }}, but gateway.store.enabled is false. Enable the store, or remove the value.
{{- end }}
{{- end }}
{{- end }}
{{- if and .sessionSecret (ne .auth "oidc") (not .ui.enabled) }}
gateway.sessionSecret is "{{ .sessionSecret }}", but neither logins nor Spark UIs use it: gateway.auth is {{ .auth }}, and gateway.ui.enabled is false. Remove the Secret.
{{- end }}
{{- if and .ui.url (not .ui.enabled) }}
gateway.ui.url is {{ .ui.url }}, but gateway.ui.enabled is false. Enable it, or remove the address.
{{- end }}
{{- if and .ui.enabled (get .options "external-url") (not .ui.url) }}
gateway.options.external-url is {{ get .options "external-url" }}, but gateway.ui.url is not set. Set it to the address of the Spark UIs, with a host name of their own.
{{- end }}
{{- if and .ui.enabled (eq (int .ui.port) (int .service.port)) }}
gateway.service.port and gateway.ui.port are both {{ int .ui.port }}. Use different ports.
{{- end }}
{{- if and .ui.nodePort (eq .service.type "ClusterIP") }}
gateway.ui.nodePort is {{ int .ui.nodePort }}, but gateway.service.type is ClusterIP. Set the type to NodePort or LoadBalancer, or remove the port.
{{- end }}
{{- range $name, $_ := .webhooks }}
{{- range $key, $_ := $.Values.gateway.properties }}
{{- if hasPrefix (printf "gateway.webhook.%s." $name) $key }}
gateway.properties has {{ $key }}, but gateway.webhooks has {{ $name }}, too. Remove the property.
{{- end }}
{{- end }}
{{- end }}
{{- if and (not .serviceAccount.create) (not .serviceAccount.name) }}
gateway.serviceAccount.create is false, but gateway.serviceAccount.name is not set. Name an existing account.
{{- end }}
{{- if and .service.nodePort (eq .service.type "ClusterIP") }}
gateway.service.nodePort is {{ int .service.nodePort }}, but gateway.service.type is ClusterIP. Set the type to NodePort or LoadBalancer, or remove the port.
{{- end }}
{{- range $name, $_ := .podLabels }}
{{- if hasKey $selected $name }}
gateway.podLabels has {{ $name }}, but the chart selects its pods by this label. Use another name.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "firesteel.gateway.account" -}}
{{- $own := include "firesteel.name" (dict "root" . "component" "gateway") -}}
{{- default $own .Values.gateway.serviceAccount.name -}}
{{- end }}

{{/* Files of Secrets besides the passwords, as a list in JSON. */}}
{{- define "firesteel.gateway.secrets" -}}
{{- $files := list -}}
{{- with .Values.gateway -}}
{{- with .oidc.credentialsSecret }}{{ $files = append $files (dict "secret" . "key" "client-secret" "path" "oidc-client-secret") }}{{ end -}}
{{- with .oidc.caSecret }}{{ $files = append $files (dict "secret" . "key" "ca.crt" "path" "oidc-ca.crt") }}{{ end -}}
{{- with .sessionSecret }}{{ $files = append $files (dict "secret" . "key" "session.key" "path" "session.key") }}{{ end -}}
{{- range $name, $webhook := .webhooks }}{{ $files = append $files (dict "secret" $webhook.secretName "key" "secret" "path" (printf "webhook-%s" $name)) }}{{ end -}}
{{- end -}}
{{- toJson $files -}}
{{- end }}
