{{/* Fails with all values of the shuffle service that contradict each other. */}}

{{- define "firesteel.shuffleService.check" -}}
{{- $all := include "firesteel.shuffleService.problems" . | trim | splitList "\n" | compact -}}
{{- if $all }}{{ fail (printf "\n- %s\n" (join "\n- " $all)) }}{{ end -}}
{{- end }}

{{- define "firesteel.shuffleService.problems" -}}
{{- $version := .Chart.AppVersion -}}
{{- with .Values.shuffleService -}}
{{- if not .image }}
shuffleService.image is not set, and no public registry has this image. Build it with `firesteel image build firesteel-server --tag REGISTRY/firesteel-server:{{ $version }} --push`, then set shuffleService.image=REGISTRY/firesteel-server:{{ $version }}.
{{- end }}
{{- if and (ne .authentication.type "none") (not .authentication.secretName) }}
shuffleService.authentication.secretName is not set, but shuffleService.authentication.type is {{ .authentication.type }}. Name a Secret, or set the type to none if only your executors reach the port.
{{- end }}
{{- if and (eq .authentication.type "none") .authentication.secretName }}
shuffleService.authentication.secretName is "{{ .authentication.secretName }}", but shuffleService.authentication.type is none. Set the type to shared or perApplication, or remove the Secret.
{{- end }}
{{- if eq (int .port) (int .metricsPort) }}
shuffleService.port and shuffleService.metricsPort are both {{ .port }}. Change one of them.
{{- end }}
{{- if and (not .serviceAccount.create) (not .serviceAccount.name) }}
shuffleService.serviceAccount.create is false, but shuffleService.serviceAccount.name is not set. Name an existing account.
{{- end }}
{{- if and .cleaner.namespace (not .cleaner.enabled) }}
shuffleService.cleaner.namespace is "{{ .cleaner.namespace }}", but shuffleService.cleaner.enabled is false. Enable the cleaner, or remove the namespace.
{{- end }}
{{- range .directories }}
{{- if or (eq . $.Values.shuffleService.stateDirectory) (hasPrefix (printf "%s/" .) $.Values.shuffleService.stateDirectory) }}
shuffleService.stateDirectory is {{ $.Values.shuffleService.stateDirectory }}, which is in {{ . }}: executors could change it. Move it out of shuffleService.directories.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "firesteel.shuffleService.account" -}}
{{- $own := include "firesteel.name" (dict "root" . "component" "shuffle-service") -}}
{{- default $own .Values.shuffleService.serviceAccount.name -}}
{{- end }}
