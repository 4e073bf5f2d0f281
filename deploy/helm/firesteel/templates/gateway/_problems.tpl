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
{{- if and .serviceMonitor.enabled (eq .auth "htpasswd") (not .serviceMonitor.basicAuthSecret) }}
gateway.serviceMonitor.enabled is true and gateway.auth is htpasswd, but gateway.serviceMonitor.basicAuthSecret is not set. Name a Secret with the username and password of a user.
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
