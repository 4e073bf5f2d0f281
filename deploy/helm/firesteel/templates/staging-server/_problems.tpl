{{/* Fails with all values that contradict each other. The schema checks each value by itself. */}}

{{- define "firesteel.stagingServer.check" -}}
{{- $all := list -}}
{{- range (list "image" "store" "tls" "access" "network" "egress" "disruption" "pod") -}}
{{- $all = concat $all (include (printf "firesteel.stagingServer.problems.%s" .) $ | trim | splitList "\n" | compact) -}}
{{- end -}}
{{- if $all }}{{ fail (printf "\n- %s\n" (join "\n- " $all)) }}{{ end -}}
{{- end }}

{{- define "firesteel.stagingServer.problems.image" -}}
{{- if not .Values.stagingServer.image }}
stagingServer.image is not set, and no public registry has this image. Build it with `firesteel image build firesteel-server --tag REGISTRY/firesteel-server:{{ .Chart.AppVersion }} --push`, then set stagingServer.image=REGISTRY/firesteel-server:{{ .Chart.AppVersion }}.
{{- end }}
{{- end }}

{{- define "firesteel.stagingServer.problems.store" -}}
{{- $replicas := int .Values.stagingServer.replicas -}}
{{- with .Values.stagingServer.store -}}
{{- if eq .type "s3" }}
{{- if not .s3.location }}
stagingServer.store.type is s3, but stagingServer.store.s3.location is not set. Set it to s3://BUCKET/DIRECTORY.
{{- end }}
{{- if .pvc.existingClaim }}
stagingServer.store.pvc.existingClaim is "{{ .pvc.existingClaim }}", but stagingServer.store.type is s3. Remove the claim, or set the type to pvc.
{{- end }}
{{- range (list "storageClassName" "keep") }}
{{- with get $.Values.stagingServer.store.pvc . }}
stagingServer.store.pvc.{{ . | kindIs "bool" | ternary "keep" "storageClassName" }} is {{ . }}, but stagingServer.store.type is s3. Remove it, or set the type to pvc.
{{- end }}
{{- end }}
{{- if and .s3.caSecret (hasPrefix "http://" .s3.endpoint) }}
stagingServer.store.s3.caSecret is "{{ .s3.caSecret }}", but {{ .s3.endpoint }} does not use TLS. Remove the Secret, or use https://.
{{- end }}
{{- else }}
{{- if not (kindIs "invalid" .s3.pathStyle) }}
stagingServer.store.s3.pathStyle is {{ .s3.pathStyle }}, but stagingServer.store.type is pvc. Set the type to s3, or remove stagingServer.store.s3.pathStyle.
{{- end }}
{{- range (list "location" "endpoint" "region" "credentialsSecret" "caSecret") }}
{{- if get $.Values.stagingServer.store.s3 . }}
stagingServer.store.s3.{{ . }} is "{{ get $.Values.stagingServer.store.s3 . }}", but stagingServer.store.type is pvc. Set the type to s3, or remove stagingServer.store.s3.{{ . }}.
{{- end }}
{{- end }}
{{- if not .pvc.accessModes }}
stagingServer.store.pvc.accessModes is empty. Set it to [ReadWriteOnce] or [ReadWriteMany].
{{- else if and (gt $replicas 1) (not (has "ReadWriteMany" .pvc.accessModes)) }}
stagingServer.replicas is {{ $replicas }}, but the volume is {{ join ", " .pvc.accessModes }}: only one server can use it. Set stagingServer.store.pvc.accessModes to [ReadWriteMany], use a bucket, or set stagingServer.replicas to 1.
{{- end }}
{{- if and .pvc.existingClaim .pvc.storageClassName }}
stagingServer.store.pvc.storageClassName is {{ .pvc.storageClassName }}, but the existing claim "{{ .pvc.existingClaim }}" has its own. Remove stagingServer.store.pvc.storageClassName.
{{- end }}
{{- if and .pvc.existingClaim .pvc.keep }}
stagingServer.store.pvc.keep is true, but the chart never deletes the existing claim "{{ .pvc.existingClaim }}". Remove stagingServer.store.pvc.keep.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "firesteel.stagingServer.problems.tls" -}}
{{- with .Values.stagingServer.tls -}}
{{- if eq .source "none" }}
{{- range (list "secretName" "clientCaSecret") }}
{{- if get $.Values.stagingServer.tls . }}
stagingServer.tls.{{ . }} is "{{ get $.Values.stagingServer.tls . }}", but stagingServer.tls.source is none. Set the source to secret or certManager, or remove stagingServer.tls.{{ . }}.
{{- end }}
{{- end }}
{{- end }}
{{- if and (eq .source "none") $.Values.stagingServer.serviceMonitor.tlsConfig }}
stagingServer.serviceMonitor.tlsConfig is set, but stagingServer.tls.source is none: the server has no TLS. Remove it, or set the source to secret or certManager.
{{- end }}
{{- if and (eq .source "none") (get $.Values.stagingServer.options "tls-reload") }}
stagingServer.options.tls-reload is {{ get $.Values.stagingServer.options "tls-reload" }}, but stagingServer.tls.source is none: there is no certificate. Remove it, or set the source to secret or certManager.
{{- end }}
{{- if and (eq .source "secret") (not .secretName) }}
stagingServer.tls.source is secret, but stagingServer.tls.secretName is not set. Set it to a Secret of type kubernetes.io/tls.
{{- end }}
{{- if and (eq .source "certManager") (not .issuer.name) }}
stagingServer.tls.source is certManager, but stagingServer.tls.issuer.name is not set. Set it to an issuer: `kubectl get issuers,clusterissuers` lists them.
{{- end }}
{{- if and (ne .source "certManager") (or .issuer.name .dnsNames) }}
stagingServer.tls.{{ ternary "issuer.name" "dnsNames" (not (empty .issuer.name)) }} is set, but stagingServer.tls.source is {{ .source }}. Set the source to certManager, or remove it.
{{- end }}
{{- if and (ne .source "none") (hasPrefix "http://" $.Values.stagingServer.internalUrl) }}
stagingServer.internalUrl is {{ $.Values.stagingServer.internalUrl }}, but the server uses TLS. Use https://, or set stagingServer.tls.source to none.
{{- end }}
{{- if and .clientCaSecret $.Values.stagingServer.serviceMonitor.enabled (not $.Values.stagingServer.serviceMonitor.tlsConfig) }}
stagingServer.tls.clientCaSecret is "{{ .clientCaSecret }}", but stagingServer.serviceMonitor.tlsConfig has no client certificate for Prometheus. Set its cert and keySecret, or disable the ServiceMonitor.
{{- end }}
{{- end }}
{{- end }}

{{- define "firesteel.stagingServer.problems.access" -}}
{{- with .Values.stagingServer -}}
{{- if and (not .serviceAccount.create) (not .serviceAccount.name) }}
stagingServer.serviceAccount.create is false, but stagingServer.serviceAccount.name is not set. Name an existing account.
{{- end }}
{{- if and (not .serviceAccount.create) .serviceAccount.annotations }}
stagingServer.serviceAccount.annotations is set, but stagingServer.serviceAccount.create is false. Annotate the existing account, and remove the annotations here.
{{- end }}
{{- if and (get .options "api-server") (ne (include "firesteel.stagingServer.usesApi" $) "true") }}
stagingServer.options.api-server is {{ get .options "api-server" }}, but the server does not use the API: stagingServer.auth and stagingServer.owners are none. Remove it, or set one of them to kubernetes.
{{- end }}
{{- if and (get .options "lease-duration") (le (int .replicas) 1) }}
stagingServer.options.lease-duration is {{ get .options "lease-duration" }}, but stagingServer.replicas is {{ int .replicas }}: only several servers need a lease. Remove it, or set replicas to 2 or more.
{{- end }}
{{- if and .namespaces (eq .owners "none") }}
stagingServer.namespaces is {{ join ", " .namespaces }}, but stagingServer.owners is none: the server lists no pods. Remove one of them.
{{- end }}
{{- end }}
{{- end }}

{{- define "firesteel.stagingServer.problems.network" -}}
{{- with .Values.stagingServer -}}
{{- if and .service.nodePort (eq .service.type "ClusterIP") }}
stagingServer.service.nodePort is {{ int .service.nodePort }}, but stagingServer.service.type is ClusterIP. Set the type to NodePort or LoadBalancer, or remove the port.
{{- end }}
{{- range $kind := list "ingress" "httpRoute" }}
{{- $own := get $.Values.stagingServer $kind -}}
{{- if and $own.enabled (not $own.host) }}
stagingServer.{{ $kind }}.enabled is true, but stagingServer.{{ $kind }}.host is not set. Set it to the name by which clients reach the server.
{{- end }}
{{- if and $own.host (not $own.enabled) }}
stagingServer.{{ $kind }}.host is {{ $own.host }}, but stagingServer.{{ $kind }}.enabled is false. Enable it, or remove the host.
{{- end }}
{{- end }}
{{- if and .httpRoute.enabled (not .httpRoute.gateway.name) }}
stagingServer.httpRoute.enabled is true, but stagingServer.httpRoute.gateway.name is not set. Name a Gateway: `kubectl get gateways --all-namespaces` lists them.
{{- end }}
{{- if and .ingress.enabled (ne .tls.source "none") (not .ingress.annotations) }}
stagingServer.ingress.enabled is true and stagingServer.tls.source is {{ .tls.source }}: the controller must connect with TLS. Set the annotation of your controller for this, such as nginx.ingress.kubernetes.io/backend-protocol: HTTPS, or set the source to none.
{{- end }}
{{- if and .networkPolicy.from (not .networkPolicy.enabled) }}
stagingServer.networkPolicy.from is set, but stagingServer.networkPolicy.enabled is false: every pod can connect. Enable the policy, or remove the peers.
{{- end }}
{{- end }}
{{- end }}

{{- define "firesteel.stagingServer.problems.egress" -}}
{{- with .Values.stagingServer -}}
{{- if .networkPolicy.enabled -}}
{{- $ports := list -}}
{{- range .networkPolicy.egressPorts }}{{ $ports = append $ports (int .) }}{{ end -}}
{{- $allowed := printf "stagingServer.networkPolicy.egressPorts is [%s]" (join ", " $ports) -}}
{{- if and (not $ports) (eq (include "firesteel.stagingServer.usesApi" $) "true") }}
{{ $allowed }}, but the server uses the Kubernetes API: stagingServer.auth is {{ .auth }}, owners is {{ .owners }} and replicas is {{ int .replicas }}. Add the API's port, usually 443 or 6443, or set auth and owners to none.
{{- end }}
{{- with get .options "api-server" }}
{{- $port := int (include "firesteel.port" .) -}}
{{- if and $ports (not (has $port $ports)) }}
stagingServer.options.api-server is {{ . }}, but {{ $allowed }}. Add {{ $port }}.
{{- end }}
{{- end }}
{{- $proxies := dict -}}
{{- range .env }}
{{- if and (has (upper .name) (list "HTTP_PROXY" "HTTPS_PROXY" "ALL_PROXY")) (get . "value") }}{{ $_ := set $proxies .name .value }}{{ end -}}
{{- end }}
{{- range $name, $proxy := $proxies }}
{{- $port := int (include "firesteel.port" $proxy) -}}
{{- if not (has $port $ports) }}
stagingServer.env has {{ $name }}, a proxy on port {{ $port }}, but {{ $allowed }}. Add {{ $port }}.
{{- end }}
{{- end }}
{{- if and (eq .store.type "s3") (not $proxies) }}
{{- $endpoint := default "https://s3.amazonaws.com" .store.s3.endpoint -}}
{{- $port := int (include "firesteel.port" $endpoint) -}}
{{- if not (has $port $ports) }}
The bucket's stagingServer.store.s3.endpoint is {{ $endpoint }}, but {{ $allowed }}. Add {{ $port }}.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "firesteel.stagingServer.problems.disruption" -}}
{{- with .Values.stagingServer -}}
{{- $replicas := int .replicas -}}
{{- with .podDisruptionBudget }}
{{- $max := not (kindIs "invalid" .maxUnavailable) -}}
{{- $min := not (kindIs "invalid" .minAvailable) -}}
{{- if and .enabled (eq $max $min) }}
stagingServer.podDisruptionBudget has {{ ternary "both" "neither of" $max }} maxUnavailable and minAvailable. Set one of them, and the other to null.
{{- end }}
{{- if and .enabled $max (regexMatch "^0+%?$" (toString .maxUnavailable)) }}
stagingServer.podDisruptionBudget.maxUnavailable is {{ .maxUnavailable }} with stagingServer.replicas {{ $replicas }}: no node with a server could be drained. Set it to 1 or more, or disable the budget.
{{- end }}
{{- $available := toString .minAvailable -}}
{{- $count := int $available -}}
{{- if hasSuffix "%" $available }}{{ $count = int (ceil (divf (mulf (float64 (trimSuffix "%" $available)) $replicas) 100)) }}{{ end -}}
{{- if and .enabled $min (gt $replicas 0) (ge $count $replicas) }}
stagingServer.podDisruptionBudget.minAvailable is {{ .minAvailable }} with stagingServer.replicas {{ $replicas }}: no node with a server could be drained. Set it to less than the number of replicas.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "firesteel.stagingServer.problems.pod" -}}
{{- with .Values.stagingServer -}}
{{- with .podSecurityContext }}
{{- if and .runAsNonRoot (not (kindIs "invalid" .runAsUser)) (eq (int .runAsUser) 0) }}
stagingServer.podSecurityContext.runAsUser is 0, but stagingServer.podSecurityContext.runAsNonRoot is true: nodes would not start the server. Set runAsUser to another ID, such as 185, or runAsNonRoot to false.
{{- end }}
{{- end }}
{{- $resources := default dict .resources -}}
{{- $limits := default dict $resources.limits -}}
{{- $requests := default dict $resources.requests -}}
{{- range $kind := list "limits" "requests" }}
{{- range $name, $quantity := default dict (get $resources $kind) }}
{{- if not (include "firesteel.quantity" $quantity) }}
stagingServer.resources.{{ $kind }}.{{ $name }} is "{{ $quantity }}", which is not a quantity of Kubernetes, such as 500m or 512Mi.
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $request := $requests }}
{{- $limit := get $limits $name -}}
{{- $low := include "firesteel.quantity" $limit -}}
{{- $high := include "firesteel.quantity" $request -}}
{{- if and (hasKey $limits $name) $low $high (gt (float64 $high) (float64 $low)) }}
stagingServer.resources.requests.{{ $name }} is {{ $request }}, but stagingServer.resources.limits.{{ $name }} is {{ $limit }}. Raise the limit, or lower the request.
{{- end }}
{{- end }}
{{- $selected := fromYaml (include "firesteel.selector" (dict "root" $ "component" "staging-server")) -}}
{{- $own := fromYaml (include "firesteel.labels" (dict "root" (dict "Chart" $.Chart "Release" $.Release "Values" (omit $.Values "commonLabels")) "component" "staging-server")) -}}
{{- range $name, $_ := $.Values.commonLabels }}
{{- if hasKey $own $name }}
commonLabels has {{ $name }}, but the chart sets this label itself. Use another name, or set nameOverride.
{{- end }}
{{- end }}
{{- range $name, $_ := .podLabels }}
{{- if hasKey $selected $name }}
stagingServer.podLabels has {{ $name }}, but the chart selects its pods by this label. Use another name.
{{- else if hasKey $.Values.commonLabels $name }}
stagingServer.podLabels and commonLabels both have {{ $name }}. Remove one of them.
{{- end }}
{{- end }}
{{- range $name, $_ := .serviceMonitor.labels }}
{{- if or (hasKey $own $name) (hasKey $.Values.commonLabels $name) }}
stagingServer.serviceMonitor.labels has {{ $name }}, but the chart or commonLabels sets this label. Use another name.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
