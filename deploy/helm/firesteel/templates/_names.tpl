{{/* Names and labels. Each takes `root`, and `component`: the name of a server in this chart. */}}

{{- define "firesteel.fullname" -}}
{{- $chart := default .Chart.Name .Values.nameOverride -}}
{{- $combined := ternary .Release.Name (printf "%s-%s" .Release.Name $chart) (contains $chart .Release.Name) -}}
{{- default $combined .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "firesteel.name" -}}
{{- printf "%s-%s" (include "firesteel.fullname" .root) .component -}}
{{- end }}

{{- define "firesteel.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "firesteel.labels" -}}
{{ include "firesteel.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}
